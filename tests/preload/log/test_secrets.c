/* Secrets are left out of texts, and nothing else is. */
#include <criterion/criterion.h>

#include <string.h>

#include "preload/log/secrets.h"
#include "preload/log/text_ends.h"

static void expect_left(const char *text, const char *expected)
{
    char to[2048];
    size_t bytes = strlen(text);
    cr_assert(bytes < sizeof to);
    memcpy(to, text, bytes);
    bytes = cup_secrets_leave_out(to, bytes);
    cr_expect(bytes == strlen(expected) && memcmp(to, expected, bytes) == 0, "%s: got %.*s, not %s",
              text, (int)bytes, to, expected);
    cr_expect(strcmp(text, expected) == 0 || cup_secrets_possible(text, strlen(text)), "%s", text);
}

Test(secrets, urls_lose_user_password_query_and_fragment)
{
    expect_left("https://ann:pw@h/p/f.root?X-Amz-Signature=1#x", "https://h/p/f.root");
    expect_left("https://token@h:8443/p", "https://h:8443/p");
    expect_left("root://u@h:1094//store/a@b.root?authz=eyJ", "root://h:1094//store/a@b.root");
    expect_left("s3://AKIA:ab/c+d@bucket/key", "s3://bucket/key");
    expect_left("simplecache::https://u:p@h/f?q", "simplecache::https://h/f");
    expect_left("OSError('https://h/f?q=1', \"http://u:p@i/g\") a?b",
                "OSError('https://h/f', \"http://i/g\") a?b");
    expect_left("https://u:p?w@h/f", "https://h/f");
    expect_left("https://u:p/w", "https://"); /* the password has no end */
    expect_left("http://[::1]:80/f?q", "http://[::1]:80/f");
    expect_left("tcp://u:p-1@h:1", "tcp://h:1");
}

Test(secrets, values_are_left_out_by_their_names)
{
    expect_left("run --token abcdef --n 3", "run --token ... --n 3");
    expect_left("run --password=abcdef -x", "run --password=... -x");
    expect_left("{'Authorization': 'Bearer eyJ0', 'n': 1}", "{'Authorization': '...', 'n': 1}");
    expect_left("Authorization: Bearer eyJ0 sent", "Authorization: ... sent");
    expect_left("AWS_SECRET_ACCESS_KEY=abcd/ef x", "AWS_SECRET_ACCESS_KEY=... x");
    expect_left("f(secret='a b', n=2)", "f(secret='...', n=2)");
}

Test(secrets, other_texts_stay_as_they_are)
{
    static const char *const texts[] = {
        "",
        "tcp://10.0.0.1:8786",
        "tcp://10.0.0.1:8786-5f0c9a",
        "('read', 'tls://h:8786-x', 0)",
        "root://xcache.example//store/user/a@b:c/f.root",
        "/data/token/secret.root",
        "KeyError('token')",
        "std::token::next(int)",
        "process-0123456789abcdef",
        "('sum-part-af', 0, 12)",
        "file:///a:b/c",
        "a -- b: c = d",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect_left(texts[i], texts[i]);
}

Test(secrets, a_text_that_was_cut_has_no_part_of_one)
{
    char text[1200], to[600];
    memset(text, 'x', sizeof text);
    memcpy(text + 700, " https://u:secret@h/f", 21);
    size_t bytes = cup_secrets_leave_out(text, 700 + 16); /* "... https://u:sec" */
    cr_expect_eq(bytes, 700 + strlen(" https://"));
    /* The end of a text that is too long would begin in the middle of a query. */
    memset(text, 'x', sizeof text);
    memcpy(text, "e https://h/f?q=", 16);
    memcpy(text + 1100, "SECRET and more", 15);
    bytes = cup_secrets_leave_out(to, cup_copy_ends(to, sizeof to, text, 1115));
    cr_expect_null(memmem(to, bytes, "SECRET", 6), "%.*s", (int)bytes, to);
    cr_expect_not_null(memmem(to, bytes, " and more", 9), "%.*s", (int)bytes, to);
}
