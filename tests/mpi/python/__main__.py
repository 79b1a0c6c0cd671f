"""Runs the tests of this folder, or those of the modules that are named, as a rank of an MPI job.

All ranks run the same tests in the same order. The first failure ends the job, for the other ranks may wait for it.
"""

import pathlib
import sys
import unittest

from mpi4py import MPI

folder = pathlib.Path(__file__).parent
names = sys.argv[1:] or sorted(file.stem for file in folder.glob("test_*.py"))
tests = unittest.defaultTestLoader.loadTestsFromNames(names)
result = unittest.TextTestRunner(failfast=True).run(tests)
if not result.wasSuccessful():
    sys.stderr.flush()
    MPI.COMM_WORLD.Abort(1)
