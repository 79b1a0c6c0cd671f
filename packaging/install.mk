# How hcomm comes onto a machine.
#
# "make install" copies what make has built to PREFIX. It builds nothing of which that has been done, and writes nothing
# in the source tree: a user may build, and root install. DESTDIR, for packagers, goes before each path, but is written
# nowhere. The folders may be given by their names in GNU's conventions, too (prefix, bindir, libdir, ...).

PREFIX       = $(or $(prefix),/usr/local)
BINDIR       = $(or $(bindir),$(PREFIX)/bin)
LIBDIR       = $(or $(libdir),$(PREFIX)/lib)
INCLUDEDIR   = $(or $(includedir),$(PREFIX)/include)
MANDIR       = $(or $(mandir),$(PREFIX)/share/man)
DOCDIR       = $(or $(docdir),$(PREFIX)/share/doc/hcomm)
PYTHONDIR    = $(or $(pythondir),$(PREFIX)/lib/python3/dist-packages)
PKGCONFIGDIR = $(LIBDIR)/pkgconfig
CMAKEDIR     = $(LIBDIR)/cmake/hcomm

say = $(foreach name,$(1),$(name)='$($(name))')
installer = $(call say,BUILD VERSION SONAME DESTDIR PREFIX BINDIR LIBDIR INCLUDEDIR MANDIR DOCDIR PYTHONDIR PKGCONFIGDIR CMAKEDIR) \
  packaging/install

.PHONY: install
install: all ## installs to PREFIX (/usr/local); for packagers, below DESTDIR
	@$(installer)

.PHONY: uninstall
uninstall: ## removes what make install, with the same folders, has installed
	@$(installer) --remove

.PHONY: dist
dist: ## build/dist/hcomm-VERSION.tar.gz: HEAD and the Go modules that it needs
	@scripts/dist

.PHONY: deb
deb: ## build/deb/*.deb: libhcomm1, libhcomm-dev, libhcomm-mpi, hcomm-tools, python3-hcomm
	@scripts/deb

# setup comes first, as for make test.
.PHONY: test-package
test-package: ## installs in temporary folders, and builds programs outside by pkg-config and CMake
	@scripts/setup package
	@$(MAKE) --no-print-directory everything
	@tests/package.sh

.PHONY: test-deb
test-deb: ## installs the Debian packages in a fresh Debian, and builds and runs programs there
	@scripts/setup package
	@tests/package-deb.sh
