#include "analysis/anonymize/public_names.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* clang-format off */
static const char *const words[] = {
    /* prefixes and spans of Dask, Coffea and uproot */
    "default", "automatic_retries", "reduce", "lambda", "map", "sum", "merge", "finalize", "getitem", "read_file",
    "process", "postprocess", "accumulator", "preprocess", "preprocessing", "metadata", "metadata_fetcher",
    "_work_function", "from-uproot", "from_uproot", "from-parquet",
    /* code that comes from no file */
    "<string>", "<stdin>", "<unknown>",
};

static const char *const folders[] = {
    "usr", "lib", "lib64", "local", "bin", "opt", "tmp", "home", "proc", "dev", "sys", "run", "var", "store",
    "site-packages", "dist-packages", "lib-dynload", "dask-scratch-space", "dask-worker-space", "shm", "..", ".",
    "x86_64-linux-gnu", "ld.so", "self", "cells",
};

static const char *const packages[] = {
    "aiobotocore", "aiohttp", "asyncio", "awkward", "awkward_cpp", "boost_histogram", "botocore", "cachetools",
    "certifi", "click", "cloudpickle", "coffea", "correctionlib", "cramjam", "cupping", "cupy", "cytoolz",
    "dask", "dask_awkward", "dask_histogram", "distributed", "fsspec", "fsspec_xrootd", "h5py", "hist",
    "ipykernel", "IPython", "jinja2", "joblib", "kiwisolver", "llvmlite", "locket", "lz4", "matplotlib", "mplhep",
    "msgpack", "numba", "numexpr", "numpy", "onnxruntime", "packaging", "pandas", "parsl", "partd", "PIL", "psutil",
    "pyarrow", "pyxrootd", "requests", "rich", "s3fs", "scipy", "sklearn", "sortedcontainers", "tblib",
    "tensorflow", "tlz", "toolz", "torch", "tornado", "tqdm", "uproot", "uhi", "urllib3", "uvloop", "vector",
    "XRootD", "xgboost", "xxhash", "yaml", "yarl", "zict", "zmq", "zstandard", "concurrent", "multidict",
};

static const char *const libraries[] = {
    "ld-linux", "libarrow", "libc.so", "libc-", "libcrypto", "libcupping", "libcurl", "libdl", "libffi", "libgcc_s",
    "libgfortran", "libgomp", "liblz4", "liblzma", "libm.so", "libm-", "libmvec", "libopenblas", "libparquet",
    "libpthread", "libpython", "librt", "libssl", "libstdc++", "libuv", "libXrdCl", "libXrdUtils", "libz.so", "libzstd",
    "python",
};

static const char *const extensions[] = {
    ".root", ".parquet", ".py", ".pyc", ".pyx", ".ipynb", ".json", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".txt",
    ".csv", ".log", ".h5", ".hdf5", ".npy", ".npz", ".pkl", ".pickle", ".coffea", ".arrow", ".feather", ".gz", ".xz",
    ".bz2", ".zst", ".lz4", ".zip", ".tar", ".sh", ".so", ".cup", ".onnx", ".pt", ".dat", ".bin", ".tmp", ".lock",
};
/* clang-format on */

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool is_among(struct cup_text text, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (cup_text_is(text, names[i]))
            return true;
    return false;
}

static bool is_number(struct cup_text text)
{
    for (size_t i = 0; i < text.length; i++)
        if (!isdigit((unsigned char)text.bytes[i]))
            return false;
    return text.length > 0;
}

bool cup_is_public_word(struct cup_text word)
{
    return word.length == 0 || (is_number(word) && word.length <= 5) ||
           is_among(word, words, COUNT(words));
}

static bool begins_with(struct cup_text text, const char *with)
{
    size_t length = strlen(with);
    return text.length >= length && memcmp(text.bytes, with, length) == 0;
}

bool cup_is_public_folder(struct cup_text folder)
{
    if (is_among(folder, folders, COUNT(folders)))
        return true;
    return folder.length > 7 && begins_with(folder, "python3.") &&
           is_number((struct cup_text){folder.bytes + 8, folder.length - 8});
}

bool cup_is_public_package(struct cup_text package)
{
    static const char libs[] = ".libs", file[] = ".py";
    size_t cut = package.length > 5 && memcmp(package.bytes + package.length - 5, libs, 5) == 0 ? 5
                 : package.length > 3 && memcmp(package.bytes + package.length - 3, file, 3) == 0
                     ? 3
                     : 0;
    return is_among((struct cup_text){package.bytes, package.length - cut}, packages,
                    COUNT(packages));
}

/* Only a version follows the name. */
bool cup_is_public_library(struct cup_text file)
{
    for (size_t i = 0; i < COUNT(libraries); i++) {
        size_t at = strlen(libraries[i]);
        if (!begins_with(file, libraries[i]))
            continue;
        while (at < file.length && strchr("0123456789.-_sox", file.bytes[at]))
            at++;
        if (at == file.length)
            return true;
    }
    return false;
}

struct cup_text cup_public_extension(struct cup_text file)
{
    for (size_t i = 0; i < COUNT(extensions); i++) {
        size_t length = strlen(extensions[i]);
        if (file.length > length &&
            strncasecmp(file.bytes + file.length - length, extensions[i], length) == 0)
            return (struct cup_text){extensions[i], length};
    }
    return (struct cup_text){"", 0};
}
