"""A package for Spack: put this file into packages/cupping/ of a repository of packages."""

from spack.package import *

try:  # since Spack 1.0
    from spack_repo.builtin.build_systems.makefile import MakefilePackage
except ImportError:
    pass


class Cupping(MakefilePackage):
    """Where the time, the bytes and the memory of a Coffea analysis on Dask go, task by task and
    line by line, without a change to the analysis."""

    # `make dist` writes it. It has no checksum: `spack install --no-checksum cupping`.
    url = "file:///opt/dist/cupping-0.1.0.tar.gz"

    license("BSD-3-Clause")

    version("0.1.0")

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("binutils+headers+libiberty", type=("build", "link"))
    depends_on("cairo+png", type=("build", "link"))
    depends_on("elfutils", type=("build", "link"))
    depends_on("jansson", type=("build", "link"))
    depends_on("libpng", type=("build", "link"))
    depends_on("libunwind", type=("build", "link", "run"))
    depends_on("zstd", type=("build", "link"))
    depends_on("python@3.9:", type="run")

    requires("platform=linux target=x86_64:", msg="cupping is for Linux on x86_64")

    def install(self, spec, prefix):
        make("install", "PREFIX=" + prefix)

    def setup_run_environment(self, env):
        env.prepend_path("PYTHONPATH", self.prefix.lib.cupping.python)
