"""The version of this package: that of include/hcomm.h, for which it is written."""

__version__ = "0.4.0"
