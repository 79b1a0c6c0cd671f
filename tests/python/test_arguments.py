"""Wrong arguments: one sentence with argument, value and rule; nothing is done, and the communicator stays usable.

Run by all ranks of a job at once. None of the calls here reaches the other ranks, but for the one after each.
"""

import array
import ctypes
import unittest
from types import SimpleNamespace

import hcomm
from buffers import numpy, torch
from hcomm import _buffers


def setUpModule():
    global comm
    comm = hcomm.Communicator.from_env()


def tearDownModule():
    comm.close()


class Refusals(unittest.TestCase):
    def refuses(self, kind, text, call, *arguments, **named):
        with self.assertRaises(kind) as caught:
            getattr(comm, call)(*arguments, **named)
        self.assertIn(text, str(caught.exception))
        if kind is not hcomm.Error:
            self.assertTrue(str(caught.exception).startswith(f"{call}: "), caught.exception)
        x = array.array("i", [1])
        comm.all_reduce(x)
        self.assertEqual(x[0], comm.size)


class Arguments(Refusals):
    def test_kinds(self):
        self.refuses(TypeError, "src is of type list, and must be a numpy array", "all_reduce", [1, 2])
        self.refuses(TypeError, "src is of type int, and must be a numpy array", "all_reduce", 1)
        self.refuses(TypeError, "src is None, and must be a numpy array", "all_reduce", None)
        self.refuses(TypeError, "dst is None, and must be a numpy array", "all_gather", b"", None)
        self.refuses(TypeError, "dst is None, and must be a numpy array", "gather", b"", None, root=comm.rank)
        if comm.size > 1:
            other = (comm.rank + 1) % comm.size
            self.refuses(TypeError, "dst is None, and must be a numpy array", "scatter", b"", None, root=other)

    def test_formats(self):
        floats = array.array("f", [1])
        self.refuses(TypeError, 'src has elements of the format "?"', "all_reduce", memoryview(bytearray(1)).cast("?"))
        self.refuses(TypeError, "in native byte order", "all_reduce", (ctypes.c_int32.__ctype_be__ * 2)())
        self.refuses(TypeError, "src has elements of the format", "all_reduce", (ctypes.c_longdouble * 2)())
        self.refuses(
            TypeError,
            "dst has elements of type float64, and must have src's, float32",
            "all_reduce",
            floats,
            array.array("d", [1]),
        )
        self.refuses(
            TypeError,
            "dst has elements of type uint8, and must have src's, int8",
            "all_to_all",
            array.array("b", bytes(comm.size)),
            bytearray(comm.size),
        )
        self.refuses(
            TypeError,
            "dst has elements of type uint8, and must have src's, int8",
            "all_gather",
            array.array("b", [0]),
            bytearray(comm.size),
        )

    def test_writability(self):
        read_only = "is read-only, and must be writable"
        self.refuses(ValueError, f"src {read_only}", "all_reduce", b"1234")
        self.refuses(ValueError, f"dst {read_only}", "all_reduce", b"1234", b"1234")
        self.refuses(ValueError, f"dst {read_only}", "all_gather", b"1", bytes(comm.size))
        self.refuses(ValueError, f"src {read_only}", "reduce_scatter", bytes(comm.size))
        self.refuses(ValueError, f"src {read_only}", "all_to_all", bytes(comm.size))
        self.refuses(ValueError, f"src {read_only}", "reduce", b"1", root=comm.rank)
        self.refuses(ValueError, f"src {read_only}", "scatter", bytes(comm.size), root=comm.rank)
        self.refuses(ValueError, f"dst {read_only}", "recv", b"1", comm.rank)
        if comm.size > 1:
            other = (comm.rank + 1) % comm.size
            self.refuses(ValueError, f"src {read_only}", "broadcast", b"1", root=other)

    def test_contiguity(self):
        view = memoryview(bytearray(8))[::2]
        self.refuses(ValueError, "src has strides (2,), and must be C-contiguous", "all_reduce", view)

    def test_counts(self):
        n, some = comm.size, bytearray(3)
        self.refuses(
            ValueError, "dst has 4 elements, and must have as many as src, 3", "all_reduce", some, bytearray(4)
        )
        self.refuses(
            ValueError,
            "dst has 2 elements, and must have as many as src, 3",
            "reduce",
            some,
            bytearray(2),
            root=comm.rank,
        )
        self.refuses(
            ValueError,
            "dst has 2 elements, and must have as many as src, 3",
            "broadcast",
            some,
            bytearray(2),
            root=comm.rank,
        )
        blocks = f"elements, and must have size times as many as src, {n} * 3 = {3 * n}"
        self.refuses(ValueError, f"dst has {3 * n + 1} {blocks}", "all_gather", some, bytearray(3 * n + 1))
        self.refuses(ValueError, f"dst has {3 * n - 1} {blocks}", "gather", some, bytearray(3 * n - 1), root=comm.rank)
        blocks = f"elements, and must have size times as many as dst, {n} * 3 = {3 * n}"
        self.refuses(ValueError, f"src has {3 * n + 1} {blocks}", "reduce_scatter", bytearray(3 * n + 1), some)
        self.refuses(ValueError, f"src has {3 * n + 1} {blocks}", "scatter", bytearray(3 * n + 1), some, root=comm.rank)
        self.refuses(
            ValueError,
            f"dst has {n} elements, and must have as many as src, {2 * n}",
            "all_to_all",
            bytes(2 * n),
            bytearray(n),
        )
        if n > 1:
            odd, blocks = bytearray(n + 1), f"has {n + 1} elements, and must have as many for each of the {n} ranks"
            self.refuses(ValueError, f"src {blocks}", "all_to_all", odd)
            self.refuses(ValueError, f"src {blocks}", "reduce_scatter", odd)
            self.refuses(ValueError, f"dst {blocks}", "all_gather", None, odd)
            self.refuses(ValueError, f"dst {blocks}", "gather", None, odd, root=comm.rank)
            self.refuses(ValueError, f"src {blocks}", "scatter", odd, root=comm.rank)

    def test_ranks(self):
        x = bytearray(comm.size)
        for call in "broadcast", "reduce", "gather", "scatter", "send", "recv":
            argument, arguments = ("peer", ()) if call in ("send", "recv") else ("root", (x,))
            for number in -1, comm.size, 2**32:
                rule = f"{argument} is {number}, and must be 0 to {comm.size - 1}"
                self.refuses(ValueError, rule, call, x, *arguments, **{argument: number})
            self.refuses(
                TypeError, f"{argument} is '0', and must be a whole number", call, x, *arguments, **{argument: "0"}
            )

    def test_operators(self):
        x = array.array("f", [1] * comm.size)
        for call in "all_reduce", "reduce", "reduce_scatter":
            self.refuses(ValueError, "op is 'plus', and must be one of sum, prod,", call, x, op="plus")
        self.refuses(hcomm.Error, "op is and, which is for integers only", "all_reduce", x, op="and")

    def test_overlap(self):
        x = memoryview(bytearray(4))
        self.refuses(hcomm.Error, "overlap", "all_reduce", x[:3], x[1:])

    def test_error(self):
        with self.assertRaises(hcomm.Error) as caught:
            comm.all_reduce(array.array("d", [1]), op="xor")
        self.assertEqual((caught.exception.code, caught.exception.name), (4, "hcommInvalidArgument"))
        self.assertIn("hcommAllReduce: op is xor", str(caught.exception))
        self.assertEqual(hcomm.Error(99, "").name, "hcommResult_t 99")

    def test_init(self):
        with self.assertRaisesRegex(TypeError, "made by Communicator.from_env"):
            hcomm.Communicator()
        with self.assertRaisesRegex(ValueError, "id is b'123', and must be the 128 bytes of unique_id"):
            hcomm.Communicator.from_id(1, b"123", 0)
        with self.assertRaisesRegex(ValueError, "nranks is 4294967297, and must be"):
            hcomm.Communicator.from_id(2**32 + 1, hcomm.unique_id(), 0)
        with self.assertRaisesRegex(hcomm.Error, "nranks is 0"):
            hcomm.Communicator.from_id(0, hcomm.unique_id(), 0)

    def test_empty(self):
        for n in -1, 2**63, 2**61:
            with self.assertRaisesRegex(ValueError, f"n is {n}, and must be"):
                hcomm.empty(n)
        with self.assertRaisesRegex(TypeError, "n is 1.5, and must be a whole number"):
            hcomm.empty(1.5)
        for dtype in "complex64", "bool":
            with self.assertRaisesRegex(TypeError, f"dtype is '{dtype}', and must be one of int8"):
                hcomm.empty(1, dtype)
        self.assertEqual(len(hcomm.empty(0)), 0)
        self.assertEqual(list(hcomm.empty(3, "int16")), [0, 0, 0])


@unittest.skipUnless(numpy, "no numpy")
class Numpy(Refusals):
    def test_kinds(self):
        masked = numpy.ma.masked_array([1, 2], mask=[0, 1])
        self.refuses(TypeError, "src is a masked array, whose mask would be lost", "all_reduce", masked)
        self.refuses(ValueError, "src is read-only, and must be writable", "all_reduce", numpy.float32(1))

    def test_formats(self):
        swapped = numpy.zeros(2, "f4").astype(numpy.dtype("f4").newbyteorder())
        self.refuses(TypeError, "src has elements of type float32 in foreign byte order", "all_reduce", swapped)
        for name in "complex64", "bool", "datetime64[s]", "object", "float128":
            x = numpy.zeros(2, name)
            self.refuses(
                TypeError, f"src has elements of type {name}, and these must be one of int8, ", "all_reduce", x
            )
        self.refuses(TypeError, "src has elements of type ", "all_reduce", numpy.zeros(2, [("bfloat16", "V2")]))
        x = numpy.zeros(2, "i2")
        self.refuses(
            TypeError, "dst has elements of type float16, and must have src's, int16", "all_reduce", x, x.astype("f2")
        )

    def test_writability(self):
        x = numpy.zeros(2)
        x.flags.writeable = False
        self.refuses(ValueError, "src is read-only, and must be writable", "all_reduce", x)
        self.refuses(ValueError, "dst is read-only, and must be writable", "all_reduce", x.copy(), x)
        result = numpy.ones(2)
        comm.all_reduce(x, result)
        self.assertEqual(result.tolist(), [0, 0])

    def test_contiguity(self):
        x = numpy.zeros((4, 4))
        for y in x.T, x[:, 0], x[::2], numpy.broadcast_to(numpy.zeros(1), (2,)):
            self.refuses(ValueError, f"src has strides {y.strides}, and must be C-contiguous", "all_reduce", y)
        part = x[1:3]
        part[:] = 1
        comm.all_reduce(part)
        self.assertEqual(x.sum(), 8 * comm.size)

    def test_counts(self):
        x = numpy.zeros((2, 3))
        self.refuses(ValueError, "dst has 4 elements, and must have as many as src, 6", "all_reduce", x, numpy.zeros(4))

    def test_subclasses(self):
        """Other classes of arrays are arrays, and one without dimensions has one element."""

        class Own(numpy.ndarray):
            pass

        for x in numpy.ones(2).view(Own), numpy.array(1.0), numpy.ones((1, 1, 2)):
            comm.all_reduce(x)
            self.assertEqual(x.reshape(-1)[-1], comm.size)

    def test_long_long(self):
        """One size, two types of C: both are int64."""
        for letter in "lq":
            x = numpy.ones(2, letter)
            comm.all_reduce(x, numpy.zeros(2, "q"))

    def test_bfloat16_by_name(self):
        """What ml_dtypes' types look like, without them."""

        class Dtype(SimpleNamespace):
            __hash__ = object.__hash__

        flags = SimpleNamespace(c_contiguous=True, writeable=True)
        for name, number in ("bfloat16", 9), ("float8_e4m3fn", 10), ("float8_e5m2", 11):
            dtype = Dtype(name=name, isnative=True)
            x = SimpleNamespace(dtype=dtype, flags=flags, size=3, __array_interface__={"data": (64, False)})
            self.assertEqual(_buffers._read_rare_numpy(x, "", "", True)[:3], (64, 3, number))


@unittest.skipUnless(torch, "no torch")
class Torch(Refusals):
    def test_kinds(self):
        self.refuses(
            ValueError, "src is on device meta, and must be on the CPU", "all_reduce", torch.zeros(2, device="meta")
        )
        self.refuses(
            ValueError,
            "src has the layout torch.sparse_coo, and must be dense",
            "all_reduce",
            torch.zeros(2).to_sparse(),
        )

    def test_formats(self):
        x = torch.zeros(2, dtype=torch.complex64)
        self.refuses(
            TypeError, "src has elements of type torch.complex64, and these must be one of int8", "all_reduce", x
        )
        self.refuses(
            ValueError, "is a view that is negated when read", "all_reduce", x.conj().imag.contiguous()._neg_view()
        )

    def test_contiguity(self):
        self.refuses(ValueError, "src has strides (1, 2), and must be contiguous", "all_reduce", torch.zeros(2, 2).T)

    def test_parameter(self):
        """What is trained."""
        x = torch.nn.Parameter(torch.ones(2))
        comm.all_reduce(x)
        self.assertEqual(x.tolist(), [comm.size] * 2)


if __name__ == "__main__":
    unittest.main(failfast=True)
