/* Files of XRootD's client: what of their URLs is kept, which object reads which, and which
 * libraries are known. */
#include "preload/xrootd/xrootd.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static void expect_url(const char *url, const char *expected)
{
    char kept[480];
    cr_expect(cup_xrootd_url(kept, sizeof kept, url, strlen(url)) == strlen(expected));
    cr_expect_str_eq(kept, expected);
}

Test(xrootd, secrets_are_not_kept)
{
    expect_url("root://host:1094//a/b.root", "root://host:1094//a/b.root");
    expect_url("root://me:pass@host//b.root", "root://host//b.root");
    expect_url("roots://me@host:1//b.root?authz=Bearer%20x&y=z", "roots://host:1//b.root");
    expect_url("root://host//a@b/c.root", "root://host//a@b/c.root");
    expect_url("root://host?//x@y", "root://host");
    expect_url("root://a@b@host", "root://host");
    expect_url("host//x", "host//x");
    expect_url("root://", "root://");
}

Test(xrootd, a_url_ends_where_it_is_said_to)
{
    static const char url[] = "root://u@host//xSECRET";
    char kept[32];
    cr_expect(cup_xrootd_url(kept, sizeof kept, url, 16) == 14);
    cr_expect_str_eq(kept, "root://host//x");
    cr_expect(cup_xrootd_url(kept, 14, url, 16) == 0);
    cr_expect(cup_xrootd_url(kept, 15, url, 16) == 14);
}

static void open_as(const void *object, const char *url)
{
    cup_xrootd_opened(object, url, strlen(url));
}

Test(xrootd, objects_are_told_apart)
{
    static const char objects[2][64];
    open_as(objects[0], "root://host//a.root");
    open_as(objects[1], "file:///tmp/b.root");
    struct cup_descriptor *remote = cup_xrootd_file(objects[0]);
    cr_assert(remote != NULL);
    cr_expect(remote->class == CUP_FILE_DATA && remote->opened);
    cr_expect(cup_xrootd_file(objects[1]) == NULL, "a local file passes by descriptors");
    open_as(objects[1], "root://host//c.root"); /* the address is used again */
    cr_expect(cup_xrootd_file(objects[1]) != NULL && cup_xrootd_file(objects[1]) != remote);
    open_as(objects[1], "/tmp/d.root");
    cr_expect(cup_xrootd_file(objects[1]) == NULL);
}

Test(xrootd, what_plug_ins_read_is_counted_by_descriptors)
{
    static const char *const own[] = {"root", "roots", "xroot", "xroots"};
    static const char *const others[] = {"https", "davs", "s3", "pelican", "rootx"};
    static const char object[64];
    char url[64];
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        snprintf(url, sizeof url, "%s://host//a.root", own[i]);
        open_as(object, url);
        cr_expect_not_null(cup_xrootd_file(object), "%s", url);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        snprintf(url, sizeof url, "%s://host//a.root", others[i]);
        open_as(object, url);
        cr_expect_null(cup_xrootd_file(object), "%s", url);
    }
}

Test(xrootd, one_whose_opening_was_not_seen_has_no_number)
{
    static const char object[64];
    struct cup_descriptor *file = cup_xrootd_file(object);
    cr_expect(file && file->class == CUP_FILE_DATA && file->file == 0);
}

/* More objects than there is room for: the newest are known, and nothing else is mistaken. */
Test(xrootd, old_objects_give_way)
{
    enum { OBJECTS = 20000 };
    static const char objects[OBJECTS][16];
    for (int i = 0; i < OBJECTS; i++)
        open_as(objects[i], i % 2 ? "root://host//x.root" : "file:///x.root");
    cr_expect(cup_xrootd_file(objects[OBJECTS - 2]) == NULL);
    int known = 0;
    for (int i = 0; i < OBJECTS; i += 2)
        known += cup_xrootd_file(objects[i]) == NULL;
    cr_expect(known > 0 && known <= 4096, "%d known", known);
}

Test(xrootd, libraries_that_are_known)
{
    cr_expect(cup_xrootd_is_library("/usr/lib/libXrdCl.so.3"));
    cr_expect(cup_xrootd_is_library("libXrdCl.so.3.0.0"));
    cr_expect(cup_xrootd_is_library("/x/pyxrootd/libXrdCl.so.6"));
    cr_expect(cup_xrootd_is_library("/x/xrootd.libs/libXrdCl-0a1b2c3d.so.6.2.1"));
    cr_expect(!cup_xrootd_is_library("/usr/lib/libXrdCl.so.2"));
    cr_expect(!cup_xrootd_is_library("/usr/lib/libXrdCl.so.33"));
    cr_expect(!cup_xrootd_is_library("/usr/lib/libXrdCl.so"));
    cr_expect(!cup_xrootd_is_library("/usr/lib/libXrdClProxyPlugin-5.so.3"));
    cr_expect(!cup_xrootd_is_library("/libXrdCl.so.3/libc.so.6"));
}
