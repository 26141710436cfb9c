/* Profiles of single logs become one. */
#include <criterion/criterion.h>

#include "analysis/profile/profile_builder.h"

static void add_file(struct cup_builder *builder, unsigned class)
{
    static const char path[] = "https://store.org/a.root";
    uint32_t string = cup_builder_string(builder, (struct cup_text){path, sizeof path - 1});
    uint32_t file = cup_builder_file(builder, string);
    cr_assert_neq(file, 0);
    builder->profile->files[file - 1].class = class;
}

Test(profile_merge, a_file_that_is_not_known_elsewhere_stays_a_file_of_data)
{
    struct cup_profile one, other;
    struct cup_builder builder, second;
    cup_builder_start(&builder, &one);
    cup_builder_start(&second, &other);
    add_file(&builder, CUP_FILE_DATA);
    add_file(&second, 0);
    cup_builder_finish(&second);
    cup_profile_merge(&builder, &other);
    cup_builder_finish(&builder);
    cr_expect_eq(one.file_count, 1);
    cr_expect_eq(one.files[0].class, CUP_FILE_DATA);
    cup_profile_free(&one);
    cup_profile_free(&other);
}
