# cupping: `make help` lists targets and options.
#
# Files are found by wildcard: a new file needs no change here. Objects depend on their headers (-MMD)
# and on the flags that they were built with.

VERSION := 0.1.0
PREFIX ?= /usr/local
DESTDIR ?=

ifneq ($(if $(filter help clean distclean,$(MAKECMDGOALS)),,$(filter-out Linux_x86_64,$(subst $() ,_,$(shell uname -sm)))),)
$(error cupping is for Linux on x86_64, and this is $(shell uname -sm))
endif

ifdef LIBFUZZER
CC := clang
endif
ifeq ($(origin CC),default)
CC := $(if $(shell command -v gcc),gcc,clang)
endif
ifeq ($(origin CXX),default)
CXX := $(if $(shell command -v g++),g++,clang++)
endif
PKG_CONFIG ?= pkg-config
VENV := build/venv
CLANG_FORMAT ?= $(VENV)/bin/clang-format

# Only `make NAME=value` sets these options: variables of the environment with these names are ignored.
options := DEBUG ASAN UBSAN TSAN COVERAGE LIBFUZZER WHEEL FRAMES EVENTS THREADS WORKERS
$(foreach option,$(options),$(if $(findstring environment,$(origin $(option))),$(eval undefine $(option))))

# Sanitized, debug and coverage builds live in directories of their own, so that they never mix
# with the plain one: build/cupping is always the plain build.
variant := $(if $(DEBUG),-debug)$(if $(ASAN),-asan)$(if $(UBSAN),-ubsan)$(if $(TSAN),-tsan)$(if $(COVERAGE),-coverage)$(if $(LIBFUZZER),-libfuzzer)$(if $(WHEEL),-wheel)$(if $(FRAMES),-frames)
B := build$(patsubst -%,/%,$(variant))

optimize := $(if $(DEBUG)$(COVERAGE),-Og,-O2) -g
# perf follows frame pointers to find who made a system call (tests/bench/2_cost.py).
optimize += $(if $(FRAMES),-fno-omit-frame-pointer -fno-optimize-sibling-calls)
# A warning is an error for gcc 12 only. Other compilers warn about more; that must not break a user's build.
is_gcc_12 := $(findstring __clang__ 12,$(shell printf '__clang__ __GNUC__' | $(CC) -E -P -x c - 2>/dev/null))
warnings := -Wall -Wextra -Wno-missing-field-initializers $(if $(WHEEL),,$(if $(is_gcc_12),-Werror))
common := -std=c17 -D_GNU_SOURCE -I. $(optimize) $(warnings) -MMD -MP $(CFLAGS)
sanitize := $(if $(ASAN),-fsanitize=address) $(if $(TSAN),-fsanitize=thread) \
	$(if $(UBSAN),-fsanitize=undefined -fno-sanitize-recover=all) \
	$(if $(ASAN)$(UBSAN)$(TSAN),-fno-omit-frame-pointer) $(if $(COVERAGE),--coverage)
ifdef LIBFUZZER
sanitize += -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
endif

# The library is never sanitized: gcc's ASAN refuses to start if another library is preloaded before
# it. It has no fortified calls, because they would call the library's own __read_chk, and no link-time optimisation,
# which loses functions that only assembler calls.
preload_cflags := $(common) -fPIC -fvisibility=hidden -ftls-model=initial-exec -U_FORTIFY_SOURCE \
	-Wp,-U_FORTIFY_SOURCE -fno-lto -fno-builtin-malloc -fno-builtin-calloc -include preload/sys/old_glibc.h -DCUPPING_VERSION='"$(VERSION)"'
preload_ldflags := -shared -Wl,--as-needed -Wl,-z,now -Wl,-z,nodelete -Wl,-z,defs \
	-Wl,-soname,libcupping.so
# Old glibc keeps dlsym in libdl; see preload/sys/old_glibc.h.
preload_libs := -Wl,--no-as-needed -l:libdl.so.2

# Without zstd, merged logs are not compressed, and those of others cannot be read.
zstd := $(shell $(PKG_CONFIG) --exists libzstd 2>/dev/null && echo libzstd)
analysis_pkgs := jansson libdw cairo libpng $(zstd)
missing := $(if $(shell command -v $(PKG_CONFIG)),$(strip $(foreach package,$(analysis_pkgs),\
	$(shell $(PKG_CONFIG) --exists $(package) || echo $(package)))),pkg-config)
# Stops a recipe that needs them. `make build/libcupping.so` and `make help` do not.
need_packages = $(if $(missing),$(error not found: $(missing); README.md has the command that installs what make needs))
analysis_cflags = $(common) $(sanitize) $(if $(zstd),-DCUP_WITH_ZSTD) -DCUP_VERSION='"$(VERSION)"' \
	-I$(B)/obj/plot/page $(shell $(PKG_CONFIG) --cflags $(analysis_pkgs) 2>/dev/null)
analysis_libs = $(shell $(PKG_CONFIG) --libs $(analysis_pkgs) 2>/dev/null) -liberty -lm -ldl -pthread
ifdef WHEEL
# The command of the wheel holds its libraries. Their headers are looked for after those of the old
# glibc that zig-cc brings along.
CC := packaging/wheel/zig-cc
archives := $(shell $(PKG_CONFIG) --variable=libdir cairo)
analysis_cflags += -idirafter /usr/include -idirafter /usr/include/$(notdir $(archives))
analysis_libs = $(wildcard $(patsubst -l%,$(archives)/lib%.a,\
	$(sort $(filter-out -lm -lpthread,$(filter -l%,$(shell $(PKG_CONFIG) --static --libs $(analysis_pkgs))))) -liberty)) \
	packaging/wheel/arc4random_buf.c -s -lm -ldl -pthread
endif

# Paths of the checkout for the tests; $(VENV) may itself be of Python 3.13 (tests/setup.sh). Unit tests
# are sanitized; programs that are traced are not.
places := -DCUP_TOP='"$(CURDIR)"' -DCUP_BUILD='"$(CURDIR)/$(B)"' \
	-DCUP_PYTHON='"$(CURDIR)/$(VENV)/bin/python"' \
	-DCUP_PYTHON_3_9='"$(CURDIR)/$(VENV)-3.9/bin/python"' \
	-DCUP_PYTHON_3_13='"$(CURDIR)/$(VENV)$(if $(wildcard $(VENV)/lib/python3.13),,-3.13)/bin/python"' \
	-DCUP_PYTHON_3_14='"$(CURDIR)/$(VENV)-3.14/bin/python"'
# Tests are compiled without optimization, in half of the time.
test_cflags = $(common) $(if $(LIBFUZZER),,-O0) $(sanitize) $(places) \
	$(shell $(PKG_CONFIG) --cflags criterion $(analysis_pkgs) 2>/dev/null)
test_libs = $(shell $(PKG_CONFIG) --libs criterion jansson 2>/dev/null) -lm

# All C sources below the folders.
sources = $(sort $(shell find $(1) -name '*.c'))

# Unit tests of the library need no preload: they are linked with its objects. The linker takes what the
# tests call; they define stand-ins for the rest. Sanitizers need objects of their own, because the library
# is never sanitized.
testable_sources := $(filter-out preload/hooks/%,$(call sources,preload))

object = $(addprefix $(B)/obj/,$(addsuffix .o,$(basename $(1))))
preload_objs := $(call object,$(call sources,preload))
analysis_objs := $(filter-out %/cli/main.o,$(call object,$(call sources,analysis plot cli)))
testable := $(B)/obj/$(if $(strip $(sanitize)),testable/)
testable_objs := $(patsubst %.c,$(testable)%.o,$(testable_sources))
unit_analysis_objs := $(call object,$(call sources,tests/analysis tests/plot tests/cli tests/howto/analysis))
unit_preload_objs := $(call object,$(call sources,tests/preload tests/howto/preload))
unit_wrappers_objs := $(call object,$(wildcard tests/wrappers/*.c))
e2e_objs := $(call object,$(wildcard tests/e2e/*.c))
traced := $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/trace/t-*.c)) \
	$(patsubst tests/%.c,$(B)/tests/%.so,$(wildcard tests/trace/lib*.c)) \
	$(patsubst tests/%.cc,$(B)/tests/%.so,$(wildcard tests/trace/lib*.cc))
budget := $(if $(wildcard /usr/include/valgrind/callgrind.h),$(B)/tests/budget/libbudget.so)
benches := $(patsubst tests/%.c,$(B)/tests/%.so,$(wildcard tests/bench/lib*.c))
generator := $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/generate_log.c))
fuzzers := $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/fuzz/fuzz_*.c))
units := $(if $(unit_analysis_objs),$(B)/tests/unit-analysis) \
	$(if $(unit_preload_objs),$(B)/tests/unit-preload) \
	$(if $(variant),,$(if $(unit_wrappers_objs),$(B)/tests/unit-wrappers)) # scripts: once is enough
e2e_bin := $(if $(e2e_objs),$(B)/tests/e2e)

.PHONY: all demo setup test unit e2e tests fuzzers soak bench cost lint format format-check check-docs check-rooms \
	wheel dist install uninstall clean distclean help FORCE
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

all: $(B)/libcupping.so $(B)/cupping

# --- build ---------------------------------------------------------------------------------------

# Written only if compiler or flags differ from the last build; then everything is built again.
$(B)/flags: FORCE
	@flags=$$(printf '%s\n' '$(CC) $(VERSION) $(preload_cflags) $(analysis_cflags) $(places)' | sed "s/'//g"); \
	if [ "$$flags" != "$$(cat $@ 2>/dev/null)" ]; then \
		mkdir -p $(@D) && printf '%s\n' "$$flags" >$@.$$$$ && mv $@.$$$$ $@; fi

$(B)/libcupping.so: $(preload_objs) | $(B)/flags
	$(CC) $(preload_cflags) $(preload_ldflags) $(LDFLAGS) -o $@.new $(preload_objs) $(preload_libs)
	@mv $@.new $@ # a process that has mapped the old library keeps the old file

$(B)/libanalysis.a: $(analysis_objs)
	@rm -f $@
	$(AR) rcs $@ $^

$(B)/cupping: $(B)/obj/cli/main.o $(B)/libanalysis.a
	$(CC) $(sanitize) $(LDFLAGS) -Wl,--as-needed -o $@ $^ $(analysis_libs)

$(B)/obj/preload/%.o: preload/%.c $(B)/flags
	@mkdir -p $(@D)
	$(CC) $(preload_cflags) -c -o $@ $<

$(B)/obj/analysis/%.o: analysis/%.c $(B)/flags
	$(need_packages)@mkdir -p $(@D)
	$(CC) $(analysis_cflags) -c -o $@ $<

$(B)/obj/plot/%.o: plot/%.c $(B)/flags
	$(need_packages)@mkdir -p $(@D)
	$(CC) $(analysis_cflags) -c -o $@ $<

$(B)/obj/cli/%.o: cli/%.c $(B)/flags
	$(need_packages)@mkdir -p $(@D)
	$(CC) $(analysis_cflags) -c -o $@ $<

# Style sheets and scripts of the HTML page, as string literals of C, one for each line.
page_parts := $(addprefix $(B)/obj/plot/page/,page.css.inc page_drawing.css.inc page.js.inc flame.css.inc flame.js.inc)
$(B)/obj/plot/page/page.o: $(page_parts)
$(page_parts): $(B)/obj/plot/page/%.inc: plot/page/%
	@mkdir -p $(@D)
	sed 's/\\/\\\\/g; s/"/\\"/g; s/^/"/; s/$$/\\n"/' $< >$@

$(B)/obj/testable/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(CC) $(test_cflags) -c -o $@ $<

$(B)/obj/tests/%.o: tests/%.c $(B)/flags
	@mkdir -p $(@D)
	$(CC) $(test_cflags) -c -o $@ $<

$(B)/tests/unit-analysis: $(unit_analysis_objs) $(B)/libanalysis.a
	@mkdir -p $(@D)
	$(CC) $(sanitize) $(LDFLAGS) -o $@ $^ $(analysis_libs) $(test_libs)

$(B)/libtestable.a: $(testable_objs)
	@rm -f $@
	$(AR) rcs $@ $^

$(B)/tests/unit-preload: $(unit_preload_objs) $(B)/libtestable.a
	@mkdir -p $(@D)
	$(CC) $(sanitize) $(LDFLAGS) -o $@ $^ $(test_libs) $(preload_libs)

$(B)/tests/unit-wrappers: $(unit_wrappers_objs) | $(B)/tests/howto/libexample_hook.so
	@mkdir -p $(@D)
	$(CC) $(sanitize) $(LDFLAGS) -o $@ $^ $(test_libs)

$(B)/tests/e2e: $(e2e_objs)
	@mkdir -p $(@D)
	$(CC) $(sanitize) $(LDFLAGS) -o $@ $^ $(test_libs)

$(B)/tests/generate_log: tests/generate_log.c $(B)/libanalysis.a $(B)/flags
	@mkdir -p $(@D)
	$(CC) $(common) $(sanitize) -o $@ $< $(B)/libanalysis.a $(analysis_libs)

# Without LIBFUZZER=1, mutate.c feeds them the corpus and mutations of it.
fuzz_parts := $(call object,tests/fuzz/verbs.c $(if $(LIBFUZZER),,tests/fuzz/mutate.c) \
	tests/analysis/log_builder.c)
$(B)/tests/fuzz/fuzz_root_records: $(patsubst %.c,$(testable)%.o,$(wildcard preload/root/root_*.c) preload/sys/spin.c)
$(B)/tests/fuzz/%: $(B)/obj/tests/fuzz/%.o $(fuzz_parts) $(B)/libanalysis.a
	@mkdir -p $(@D)
	$(CC) $(sanitize) $(if $(LIBFUZZER),-fsanitize=fuzzer) $(LDFLAGS) -o $@ $^ $(analysis_libs)

# Traced programs are like those of users: plain flags, no sanitizer. A first line such as
# `/* cflags: -D_FORTIFY_SOURCE=2 */` adds flags for one program.
own_cflags = $$(sed -n '1s,^/\* cflags: \(.*\) \*/$$,\1,p' $<)
$(B)/tests/trace/%.so: tests/trace/%.c $(B)/flags
	@mkdir -p $(@D)
	$(CC) $(common) -fPIC -shared $(own_cflags) -o $@ $< $(filter %.a,$^) -ldl

$(B)/tests/trace/%.so: tests/trace/%.cc $(B)/flags
	@mkdir -p $(@D)
	$(CXX) -O2 -g $(warnings) -fno-optimize-sibling-calls -fPIC -shared -o $@ $<

# A test reads stacks at places of its own, with the objects of the library.
$(B)/tests/trace/libstacks.so: $(B)/libpreload.a

# The library with functions that count instructions of calls.
$(B)/tests/budget/libbudget.so: tests/budget/libbudget.c $(preload_objs) $(B)/flags
	@mkdir -p $(@D)
	$(CC) $(preload_cflags) $(preload_ldflags) -o $@ $< $(preload_objs) $(preload_libs)

# The library with one more hook.
$(B)/tests/howto/libexample_hook.so: tests/howto/example_hook.c $(preload_objs) $(B)/flags
	@mkdir -p $(@D)
	$(CC) $(preload_cflags) $(preload_ldflags) -o $@ $< $(preload_objs) $(preload_libs)

# A program and the library's objects with ThreadSanitizer: make TSAN=1 build/tsan/tests/races. What the
# program calls of the library's hooks is renamed, so that ThreadSanitizer itself still reaches libc.
races_objs := $(patsubst %.c,$(B)/obj/races/%.o,$(call sources,preload))
$(B)/obj/races/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(CC) $(preload_cflags) $(sanitize) -Wno-tsan -c -o $@ $<

$(B)/tests/races: tests/soak/races.c $(races_objs)
	@mkdir -p $(@D)
	ld -r -o $@-library.o $(races_objs)
	nm --defined-only --extern-only $@-library.o | awk '$$2 ~ /[TWi]/ && $$3 !~ /^cup/ { print $$3, "hooked_" $$3 }' >$@-names
	objcopy --redefine-syms=$@-names $@-library.o
	$(CC) $(common) $(sanitize) -fno-builtin -c -o $@-program.o $<
	objcopy --redefine-syms=$@-names $@-program.o
	$(CC) $(sanitize) -pthread -o $@ $@-program.o $@-library.o -ldl

$(B)/libpreload.a: $(filter-out $(B)/obj/preload/hooks/%,$(preload_objs))
	@rm -f $@
	$(AR) rcs $@ $^

$(B)/tests/trace/%: tests/trace/%.c $(B)/flags
	@mkdir -p $(@D)
	$(CC) $(common) -pthread $(own_cflags) -o $@ $< -ldl -lm

$(B)/tests/bench/%.so: tests/bench/%.c $(B)/flags
	@mkdir -p $(@D)
	$(CC) $(common) -fPIC -shared -o $@ $<

-include $(shell find $(B)/obj $(B)/tests -name '*.d' -type f 2>/dev/null)

# --- demo and tests ------------------------------------------------------------------------------

# Options of the demo: make demo EVENTS=60000 THREADS=4 WORKERS=2
demo_options = $(if $(EVENTS),--events $(EVENTS)) $(if $(THREADS),--threads $(THREADS)) \
	$(if $(WORKERS),--workers $(WORKERS)) $(DEMO_OPTIONS)

setup:
	@tests/setup.sh test

# tests/setup.sh may install the compiler, so the build is another make after it.
build_quietly = mkdir -p build && echo "build: $(1) (log: build/build.log)" && \
	$(MAKE) --no-print-directory -j"$$(nproc)" $(1) >build/build.log 2>&1 || \
	{ tail -n 30 build/build.log; echo "build: failed, see build/build.log"; exit 1; }

demo:
	@tests/setup.sh demo
	@$(call build_quietly,all)
	@exec $(VENV)/bin/python tests/workloads/cluster.py $(demo_options)

test:
	@tests/setup.sh test
	@$(call build_quietly,all tests)
	@tests/run.sh format-check $(units) $(e2e_bin)

fuzzers: $(fuzzers)

tests: $(units) $(e2e_bin) $(traced) $(generator) $(budget) $(fuzzers)

unit: all $(units)
	@tests/run.sh $(units)

e2e: all $(e2e_bin) $(traced) $(generator) $(budget)
	@tests/setup.sh test
	@tests/run.sh $(e2e_bin)

# Benchmarks are scripts, run in the order of their names. The long runs: tests/soak.py
scripts = for script in $(sort $(wildcard tests/$(1)/*.sh tests/$(1)/*.py)); do \
	echo "== $$script"; case $$script in \
	*.py) $(VENV)/bin/python $$script ;; *) sh $$script ;; esac || exit 1; done

bench: $(benches) $(generator) $(B)/tests/trace/libstacks.so
	@tests/setup.sh test
	@$(MAKE) --no-print-directory all
	@$(call scripts,bench)

# One of the benchmarks, whose first argument is a job: see there.
cost:
	@tests/setup.sh cost
	@$(MAKE) --no-print-directory all
	@$(MAKE) --no-print-directory FRAMES=1 build/frames/libcupping.so
	@$(VENV)/bin/python tests/bench/2_cost.py

soak:
	@tests/setup.sh soak
	@$(MAKE) --no-print-directory all tests
	@$(VENV)/bin/python tests/soak.py

# --- lint ----------------------------------------------------------------------------------------

c_files := $(sort $(shell find include preload analysis plot cli tests -name '*.[ch]'))
sh_files := wrappers/cupping-run wrappers/cupping-dask-worker packaging/wheel/zig-cc $(wildcard tests/*.sh tests/*/*.sh)
py_files := $(wildcard tests/*.py tests/*/*.py packaging/*/*.py python/*/*.py python/*/*/*.py)
man_files := $(wildcard docs/man/*.1)

# Checks that find mistakes, without those that are a matter of taste.
tidy := -*,clang-analyzer-core.*,clang-analyzer-unix.*,clang-analyzer-deadcode.*,$\
	bugprone-suspicious-*,-bugprone-suspicious-string-compare,$\
	bugprone-misplaced-widening-cast,bugprone-integer-division,$\
	bugprone-macro-parentheses,bugprone-signed-char-misuse

lint: format-check check-docs check-rooms $(page_parts)
	@tests/setup.sh lint
	printf '%s\n' $(filter %.c,$(filter-out tests/%,$(c_files))) | xargs -n 4 -P 2 sh -c \
		'clang-tidy --quiet --warnings-as-errors="*" --checks="$(tidy)" "$$@" -- \
		-std=c17 -D_GNU_SOURCE -I. -I$(B)/obj/plot/page -DCUP_VERSION=\"\" -DCUPPING_VERSION=\"\" \
		$(shell $(PKG_CONFIG) --cflags $(analysis_pkgs) 2>/dev/null)' tidy 2>&1 | \
		{ ! grep -v 'warnings\{0,1\} generated\.$$'; }
	shellcheck -x $(sh_files) wrappers/completion/cupping.bash .ci/run
	for page in $(man_files); do mandoc -T lint -W warning $$page || exit 1; done
	$(VENV)/bin/python -m compileall -q $(py_files)

format:
	@$(CLANG_FORMAT) -i $(c_files)

# clang-format is pinned with the Python packages: two versions of it never agree.
format-check:
	@if ! [ -x "$(CLANG_FORMAT)" ] && ! command -v $(CLANG_FORMAT) >/dev/null; then \
		tests/setup.sh test; fi
	@$(CLANG_FORMAT) --dry-run -Werror $(c_files) && echo "format: clean"

check-docs: $(B)/cupping
	@python3 tests/check_docs.py

check-rooms:
	@python3 tests/check_rooms.py

# --- install -------------------------------------------------------------------------------------

bindir = $(DESTDIR)$(PREFIX)/bin
libdir = $(DESTDIR)$(PREFIX)/lib/cupping
includedir = $(DESTDIR)$(PREFIX)/include
mandir = $(DESTDIR)$(PREFIX)/share/man/man1
bashdir = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
zshdir = $(DESTDIR)$(PREFIX)/share/zsh/site-functions

install: all
	install -d "$(bindir)" "$(libdir)/python/cupping/remote" "$(includedir)" "$(mandir)" "$(bashdir)" "$(zshdir)"
	install -m 755 $(B)/cupping wrappers/cupping-run wrappers/cupping-dask-worker "$(bindir)"
	install -m 644 $(B)/libcupping.so "$(libdir)"
	install -m 644 $(wildcard python/cupping/*.py python/cupping/py.typed) "$(libdir)/python/cupping"
	install -m 644 $(wildcard python/cupping/remote/*.py) "$(libdir)/python/cupping/remote"
	install -m 644 include/cupping.h "$(includedir)"
	install -m 644 $(man_files) "$(mandir)"
	install -m 644 wrappers/completion/cupping.bash "$(bashdir)/cupping"
	ln -sf cupping "$(bashdir)/cupping-run"
	install -m 644 wrappers/completion/_cupping "$(zshdir)/_cupping"

# What users install with pip: packaging/wheel/build.py says what is in it.
wheel:
	@tests/setup.sh wheel
	@$(call build_quietly,all)
	@$(call build_quietly,WHEEL=1 build/wheel/cupping)
	@build/venv-wheel/bin/python packaging/wheel/build.py

dist:
	mkdir -p dist
	git archive --prefix=cupping-$(VERSION)/ -o dist/cupping-$(VERSION).tar.gz HEAD

uninstall:
	rm -f $(addprefix "$(bindir)"/,cupping cupping-run cupping-dask-worker)
	rm -f "$(libdir)/libcupping.so" "$(includedir)/cupping.h" $(addprefix "$(mandir)"/,$(notdir $(man_files)))
	rm -f "$(bashdir)/cupping" "$(bashdir)/cupping-run" "$(zshdir)/_cupping"
	rm -rf "$(libdir)/python"
	-rmdir "$(libdir)"

clean:
	@if [ -d build ]; then find build -mindepth 1 -maxdepth 1 \
		! -name 'venv*' ! -name 'python-3*' ! -name viewers ! -name nginx ! -name s3 ! -name parsl ! -name rivals \
		! -name 'xrootd-*' ! -name demo-data -exec rm -rf {} +; fi

distclean:
	rm -rf build

help:
	@echo "make                build/libcupping.so and build/cupping"
	@echo "make demo           set up, run a real Coffea job on a real Dask cluster, print its report"
	@echo "make test           set up, build, run the tests"
	@echo "make unit | e2e     unit tests | end-to-end tests on real clusters"
	@echo "make soak | bench   long runs | what the library costs, as ratios"
	@echo "make cost           shares of a worker's CPU time that the library takes, beside other tools"
	@echo "make lint           format, clang-tidy, shellcheck, manual pages, documents, rooms"
	@echo "make check-docs     compare the documents with the program"
	@echo "make check-rooms    compare the includes with the rooms of docs/contributing/architecture.md"
	@echo "make format         rewrite the sources with clang-format"
	@echo "make wheel          dist/cupping-*.whl, for pip on any Linux of x86_64 with glibc 2.17 or newer"
	@echo "make dist           dist/cupping-VERSION.tar.gz, the sources of the last commit"
	@echo "make install        PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)"
	@echo "make uninstall      the reverse"
	@echo "make clean          remove what was built, keep what set-up installed, and demo data"
	@echo "make distclean      remove build/ altogether"
	@echo
	@echo "Options: CC=gcc|clang  CFLAGS=  LDFLAGS=  PYTHON=python3.11 (3.11 or newer)"
	@echo "         DEBUG=1 ASAN=1 UBSAN=1 TSAN=1 COVERAGE=1 (each in build/<option>/;"
	@echo "         sanitizers apply to build/<option>/cupping and the unit tests)"
	@echo "         demo: EVENTS=600000 THREADS=2 WORKERS=1 DEMO_OPTIONS='--help'"
