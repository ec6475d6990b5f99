"""mneme/adapters - the buffer inside the loops of others. Import the one you need:

    from mneme.adapters.stable_baselines3 import ReplayBuffer

stable_baselines3, cleanrl, torchrl, tianshou, cpprb; gymnasium (vector environments, all autoreset
modes); fasttd3, brc, simbav2 (signatures of those training loops).
"""
