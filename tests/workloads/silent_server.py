"""A task asks a server with TLS 1.3 that takes the request and never answers, and gives up.

silent_server.py DIRECTORY        that has "certificate" and "key" """

import os
import socket
import ssl
import subprocess
import sys

from run_task import run

SERVER = """
import socket, ssl, sys
context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
context.load_cert_chain(sys.argv[1] + "/certificate", sys.argv[1] + "/key")
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
client = context.wrap_socket(server.accept()[0], server_side=True)
while client.recv(1000):
    pass
"""


def ask(port):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    client = context.wrap_socket(socket.create_connection(("127.0.0.1", port)))
    client.sendall(b"GET /a.root HTTP/1.1\r\nHost: localhost\r\n\r\n")
    client.settimeout(0.5)
    try:
        client.recv(1000)
    except TimeoutError:
        pass
    client.close()


server = subprocess.Popen([sys.executable, "-c", SERVER, sys.argv[1]], stdout=subprocess.PIPE,
                          env={**os.environ, "LD_PRELOAD": ""})
port = int(server.stdout.readline())
run("silent", lambda: ask(port))
server.wait()
