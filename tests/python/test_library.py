"""How the package finds its library, that it is written for this hcomm.h, and that pip installs it.

Run alone.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import hcomm
from hcomm import _config, _datatypes, _library, errors

TREE = Path(__file__).resolve().parents[2]
HEADER = re.sub(r"/\*.*?\*/", "", (TREE / "include" / "hcomm.h").read_text(encoding="utf-8"), flags=re.S)
SAY = "import hcomm; print(hcomm.__file__, hcomm.library_version(), hcomm._library.library()._name)"


def python(*arguments, **environment):
    """Its output, with that in the environment and without what tests/python.sh has put there."""
    own = {name: value for name, value in os.environ.items() if name not in ("HCOMM_LIBRARY", "PYTHONPATH")}
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**own, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    return done.stdout.strip()


def constants(prefix):
    return {name: int(number) for name, number in re.findall(rf"\b{prefix}(\w+) = (\d+),?\s", HEADER + " ")}


class Header(unittest.TestCase):
    def test_version(self):
        numbers = dict(re.findall(r"#define HCOMM_(MAJOR|MINOR|PATCH) (\d+)", HEADER))
        self.assertEqual(hcomm.__version__, "{MAJOR}.{MINOR}.{PATCH}".format(**numbers))
        self.assertEqual(hcomm.library_version(), hcomm.__version__)

    def test_numbers(self):
        have = constants("hcomm")
        for name, number in _datatypes.DATATYPES.items():
            in_header = name.title().replace("_", "").replace("E4M3Fn", "e4m3").replace("E5M2", "e5m2")
            self.assertEqual(number, have[in_header], name)
        self.assertEqual(len(_datatypes.DATATYPES), 14)
        for name, number in _datatypes.OPERATORS.items():
            bitwise = "Bit" if name in ("and", "or", "xor") else ""
            self.assertEqual(number, have[bitwise + name.title().replace("_", "")], name)
        results = re.search(r"typedef enum \{([^}]*)\} hcommResult_t", HEADER).group(1)
        in_header = {int(number): name for name, number in re.findall(r"(hcomm\w+) = (\d+)", results) if number != "0"}
        self.assertEqual(errors._NAMES, in_header)

    def test_prototypes(self):
        """As many arguments as in the header, pointers where it has pointers, and sizes where it has sizes."""
        for name, declared in _library._ARGUMENTS.items():
            (arguments,) = re.findall(rf"\b{name}\(([^)]*)\);", HEADER)
            for argument, type in zip(arguments.split(","), declared):
                pointer = "*" in argument or re.search(r"hcomm(Comm|Stream)_t", argument)
                if "size_t" in argument:
                    self.assertIs(type, _library.c_size_t, f"{name}: {argument}")
                elif not pointer and "UniqueId" not in argument:
                    self.assertIs(type, _library.c_int, f"{name}: {argument}")
                else:
                    self.assertNotIn(type, (_library.c_int, _library.c_size_t), f"{name}: {argument}")
            self.assertEqual(len(arguments.split(",")), len(declared), name)

    def test_config(self):
        """The fields of hcommConfig_t, and what HCOMM_CONFIG_INITIALIZER puts there."""
        (fields,) = re.findall(r"typedef struct \{([^}]*)\} hcommConfig_t", HEADER)
        types = {"size_t ": _config.c_size_t, "unsigned int ": _config.c_uint, "int ": _config.c_int}
        types["const char *"] = _config.c_char_p
        in_header = [(name, types[type]) for type, name in re.findall(r"(\w[\w ]*[ *])(\w+);", fields)]
        self.assertEqual(_config.Config._fields_, in_header)
        made = _config.config("", None, None, None)
        self.assertEqual(made.magic, int(re.search(r"HCOMM_CONFIG_MAGIC (\w+)", HEADER).group(1), 16))
        self.assertEqual(made.version, int("{}{:02}{:02}".format(*map(int, hcomm.__version__.split(".")))))
        unset = {getattr(made, name) for name in ("blocking", "timeout_ms", "deterministic", "lanes")}
        self.assertEqual((unset, made.name), ({-(2**31)}, None))
        for timeout, milliseconds in (0, 0), (1e-9, 1), (0.2, 200), (2147483, 2147483000):
            self.assertEqual(_config.config("", timeout, None, None).timeout_ms, milliseconds)


class Finding(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        self.built = Path(os.environ.get("HCOMM_LIBRARY") or TREE / "build" / "lib" / "libhcomm.so").resolve()
        self.package = self.folder / "prefix" / "lib" / "python3" / "dist-packages" / "hcomm"
        shutil.copytree(TREE / "python" / "hcomm", self.package)
        self.path = str(self.package.parent)

    def test_where(self):
        """HCOMM_LIBRARY, then the install tree, then the source tree, then the system's loader."""
        versions = f"{self.package}/__init__.py {hcomm.library_version()}"
        beside = "prefix/lib/libhcomm.so.1", "prefix/lib/python3/build/lib/libhcomm.so.1"
        for file in "elsewhere.so", "own/libhcomm.so.1", *beside:
            (self.folder / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(self.built, self.folder / file)
        environment = {"PYTHONPATH": self.path, "LD_LIBRARY_PATH": str(self.folder / "own")}
        elsewhere = str(self.folder / "elsewhere.so")
        self.assertEqual(python("-c", SAY, HCOMM_LIBRARY=elsewhere, **environment), f"{versions} {elsewhere}")
        for file in beside:
            self.assertEqual(python("-c", SAY, **environment), f"{versions} {self.folder / file}")
            (self.folder / file).unlink()
        self.assertEqual(python("-c", SAY, **environment), f"{versions} libhcomm.so.1")
        environment["LD_PRELOAD"] = str(self.folder / "own" / "libhcomm.so.1")
        self.assertEqual(python("-c", SAY, HCOMM_LIBRARY="/no/such", **environment), f"{versions} libhcomm.so.1")

    def test_nowhere(self):
        said = python("-c", SAY, PYTHONPATH=self.path)
        for place in (
            f"{self.folder}/prefix/lib/libhcomm.so.1",
            "/python3/build/lib/libhcomm.so.1",
            "\n  libhcomm.so.1: ",
        ):
            self.assertIn(place, said)
        self.assertIn("OSError: hcomm cannot load its library, libhcomm.so.1; it has looked in these places:", said)
        said = python("-c", SAY, PYTHONPATH=self.path, HCOMM_LIBRARY="/no/such.so")
        self.assertIn("in these places:\n  /no/such.so: cannot open", said)

    def test_version(self):
        for library, package, works in (
            ((0, 2, 0), (0, 2, 0), True),
            ((0, 2, 1), (0, 2, 0), True),
            ((0, 2, 0), (0, 2, 1), False),
            ((0, 3, 0), (0, 2, 0), False),
            ((1, 5, 0), (1, 4, 9), True),
            ((1, 4, 0), (1, 5, 0), False),
            ((2, 0, 0), (1, 0, 0), False),
        ):
            self.assertEqual(_library.works_with(library, package), works, (library, package))
        (self.package / "_version.py").write_text('__version__ = "9.1.0"')
        said = python("-c", SAY, PYTHONPATH=self.path, HCOMM_LIBRARY=str(self.built))
        self.assertIn(f"has version {hcomm.library_version()}, and hcomm 9.1.0 for Python works with", said)

    def test_pip(self):
        for module in "pip", "setuptools", "wheel":
            if importlib.util.find_spec(module) is None:
                self.skipTest(f"this Python has no {module}")
        source, target = self.folder / "source", self.folder / "target"
        shutil.copytree(TREE / "python", source)
        options = "-q", "--no-build-isolation", "--no-index", "--target"
        said = python("-m", "pip", "install", *options, str(target), str(source))
        have = python("-c", SAY, PYTHONPATH=str(target), HCOMM_LIBRARY=str(self.built)).split()[:2]
        self.assertEqual(have, [f"{target}/hcomm/__init__.py", hcomm.__version__], said)
        self.assertTrue((target / "hcomm" / "py.typed").exists())


if __name__ == "__main__":
    unittest.main()
