"""tests/adapters/conftest.py - one thread for torch: these networks are tiny and machines are shared."""

try:
    import torch

    torch.set_num_threads(1)
except ImportError:
    pass
