"""bench/python/training.py - real training runs with the buffer of the library, and with ours in it.

    .venv-python/bin/python bench/python/training.py --json bench/results/training.json

Pendulum-v1, the same seeds, the same networks; only the buffer differs. Three loops: SAC of
Stable-Baselines3, untouched; SAC built of TorchRL's loss and modules; a CleanRL-style DDPG script.
Reported: the return of the last episodes, over seeds, and the processor time per step spent in the
buffer's own calls and in all.
"""

import argparse
import fcntl
import json
import time
from pathlib import Path

import gymnasium
import numpy as np
import torch
from torch import nn

BATCH, START = 128, 500


class Timed:
    """A buffer whose calls are timed. Everything else goes through."""

    def __init__(self, buffer, names):
        self.seconds = 0.0
        for name in names:
            setattr(buffer, name, self._timed(getattr(buffer, name)))

    def _timed(self, call):
        def timed(*arguments, **options):
            begin = time.thread_time()
            try:
                return call(*arguments, **options)
            finally:
                self.seconds += time.thread_time() - begin

        return timed


def last_returns(returns):
    """Mean over the last quarter of the episodes."""
    return float(np.mean(returns[-max(1, len(returns) // 4) :]))


def sb3(ours, steps, seed):
    from stable_baselines3 import SAC
    from stable_baselines3.common.monitor import Monitor

    from mneme.adapters.stable_baselines3 import ReplayBuffer

    env = Monitor(gymnasium.make("Pendulum-v1"))
    options = (
        {"replay_buffer_class": ReplayBuffer, "replay_buffer_kwargs": {"seed": seed}}
        if ours
        else {}
    )
    model = SAC(
        "MlpPolicy", env, learning_rate=1e-3, batch_size=BATCH, learning_starts=START, seed=seed,
        buffer_size=100_000, policy_kwargs={"net_arch": [64, 64]}, **options,
    )  # fmt: skip
    timed = Timed(model.replay_buffer, ["add", "sample"])
    model.learn(steps)
    return env.get_episode_rewards(), timed.seconds


def torchrl(ours, steps, seed):
    from tensordict import TensorDict
    from tensordict.nn import NormalParamExtractor, TensorDictModule
    from torchrl.data import Bounded, LazyTensorStorage
    from torchrl.data import ReplayBuffer as Theirs
    from torchrl.modules import MLP, ProbabilisticActor, TanhNormal, ValueOperator
    from torchrl.objectives import SACLoss, SoftUpdate

    from mneme.adapters.torchrl import ReplayBuffer as Ours

    env = gymnasium.make("Pendulum-v1")
    spec = Bounded(-2.0, 2.0, (1,))
    net = nn.Sequential(
        MLP(in_features=3, out_features=2, num_cells=[64, 64]), NormalParamExtractor()
    )
    actor = ProbabilisticActor(
        TensorDictModule(net, in_keys=["observation"], out_keys=["loc", "scale"]),
        in_keys=["loc", "scale"], spec=spec, distribution_class=TanhNormal,
        distribution_kwargs={"low": -2.0, "high": 2.0}, return_log_prob=True,
    )  # fmt: skip
    value = ValueOperator(
        MLP(in_features=4, out_features=1, num_cells=[64, 64]), in_keys=["observation", "action"]
    )
    loss = SACLoss(actor, value, num_qvalue_nets=2)
    loss.make_value_estimator(gamma=0.99)
    target = SoftUpdate(loss, tau=0.005)
    optimiser = torch.optim.Adam(loss.parameters(), lr=1e-3)
    buffer = (
        Ours((3,), (1,), capacity=100_000, seed=seed)
        if ours
        else Theirs(storage=LazyTensorStorage(100_000))
    )
    timed = Timed(buffer, ["extend", "sample"])
    returns, total = [], 0.0
    observation, _ = env.reset(seed=seed)
    for step in range(steps):
        if step < START:
            action = spec.rand()
        else:
            with torch.no_grad():
                action = actor(
                    TensorDict({"observation": torch.from_numpy(observation)[None]}, [1])
                )["action"][0]
        after, reward, terminated, truncated, _ = env.step(action.numpy())
        flag = torch.tensor([[terminated]])
        buffer.extend(TensorDict(
            {
                "observation": torch.from_numpy(observation)[None],
                "action": action[None].detach(),
                "next": {
                    "observation": torch.from_numpy(after)[None],
                    "reward": torch.tensor([[reward]], dtype=torch.float32),
                    "terminated": flag,
                    "done": torch.tensor([[terminated or truncated]]),
                },
            }, [1],
        ))  # fmt: skip
        total += reward
        observation = after
        if terminated or truncated:
            returns.append(total)
            total, (observation, _) = 0.0, env.reset()
        if step >= START:
            data = buffer.sample(BATCH)
            losses = loss(data)
            optimiser.zero_grad()
            (losses["loss_actor"] + losses["loss_qvalue"] + losses["loss_alpha"]).backward()
            optimiser.step()
            target.step()
    return returns, timed.seconds


def cleanrl(ours, steps, seed):
    """DDPG as CleanRL's script has it: actor, critic, their targets, one update per step."""
    from stable_baselines3.common.buffers import ReplayBuffer as Theirs

    from mneme.adapters.cleanrl import ReplayBuffer as Ours

    env = gymnasium.make("Pendulum-v1")

    def mlp(inputs, *last):
        return nn.Sequential(
            nn.Linear(inputs, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1), *last
        )

    actor, critic = mlp(3, nn.Tanh()), mlp(4)
    actor_target, critic_target = mlp(3, nn.Tanh()), mlp(4)
    actor_target.load_state_dict(actor.state_dict())
    critic_target.load_state_dict(critic.state_dict())
    steps_of = (
        torch.optim.Adam(actor.parameters(), lr=1e-3),
        torch.optim.Adam(critic.parameters(), lr=1e-3),
    )
    spaces = env.observation_space, env.action_space
    buffer = (
        Ours(100_000, *spaces, "cpu", seed=seed)
        if ours
        else Theirs(100_000, *spaces, "cpu", handle_timeout_termination=False)
    )
    timed = Timed(buffer, ["add", "sample"])
    rng = np.random.default_rng(seed)
    returns, total = [], 0.0
    observation, _ = env.reset(seed=seed)
    for step in range(steps):
        if step < START:
            action = rng.uniform(-2, 2, 1).astype(np.float32)
        else:
            with torch.no_grad():
                mean = 2 * actor(torch.from_numpy(observation)).numpy()
            action = np.clip(mean + rng.normal(0, 0.2, 1), -2, 2).astype(np.float32)
        after, reward, terminated, truncated, info = env.step(action)
        buffer.add(
            observation[None],
            after[None],
            action[None],
            np.array([reward]),
            np.array([terminated]),
            [info],
        )
        total += reward
        observation = after
        if terminated or truncated:
            returns.append(total)
            total, (observation, _) = 0.0, env.reset()
        if step < START:
            continue
        data = buffer.sample(BATCH)
        with torch.no_grad():
            following = torch.cat(
                [data.next_observations, 2 * actor_target(data.next_observations)], 1
            )
            goal = data.rewards.float() + (1 - data.dones) * 0.99 * critic_target(following)
        error = nn.functional.mse_loss(
            critic(torch.cat([data.observations, data.actions], 1)), goal
        )
        steps_of[1].zero_grad()
        error.backward()
        steps_of[1].step()
        profit = critic(torch.cat([data.observations, 2 * actor(data.observations)], 1)).mean()
        steps_of[0].zero_grad()
        (-profit).backward()
        steps_of[0].step()
        with torch.no_grad():
            for net, slow in ((actor, actor_target), (critic, critic_target)):
                for p, q in zip(net.parameters(), slow.parameters(), strict=True):
                    q.lerp_(p, 0.005)
    return returns, timed.seconds


LOOPS = {"Stable-Baselines3 SAC": sb3, "TorchRL SAC": torchrl, "CleanRL-style DDPG": cleanrl}


def record(path, head, row):
    """Adds a run to the file, which several processes may be writing; a repeated run replaces itself."""
    with open(path, "a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        text = file.read()
        result = json.loads(text) if text else {}
        if {key: result.get(key) for key in head} != head:
            result = {**head, "rows": []}
        which = [row[key] for key in ("loop", "buffer", "seed")]
        result["rows"] = [
            old
            for old in result["rows"]
            if [old[key] for key in ("loop", "buffer", "seed")] != which
        ]
        result["rows"].append(row)
        order = list(LOOPS)
        result["rows"].sort(key=lambda r: (order.index(r["loop"]), r["buffer"], r["seed"]))
        file.truncate(0)
        file.write(json.dumps(result, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=6000)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--loop", choices=LOOPS, action="append", help="only this one")
    parser.add_argument("--json", type=Path, help="runs with the same steps are added to it")
    args = parser.parse_args()
    torch.set_num_threads(1)
    for seed in range(args.seeds):
        for name in args.loop or LOOPS:
            for ours in (False, True) if seed % 2 == 0 else (True, False):
                torch.manual_seed(seed)
                np.random.seed(seed)
                begin = time.thread_time()
                returns, inside = LOOPS[name](ours, args.steps, seed)
                row = {
                    "loop": name,
                    "buffer": "mneme" if ours else "its own",
                    "seed": seed,
                    "last_return": round(last_returns(returns), 1),
                    "buffer_us_per_step": round(inside / args.steps * 1e6, 2),
                    "us_per_step": round((time.thread_time() - begin) / args.steps * 1e6, 1),
                }
                print(row, flush=True)
                if args.json:  # after every run: they are long
                    record(
                        args.json,
                        {"task": "Pendulum-v1", "steps": args.steps, "batch": BATCH},
                        row,
                    )


if __name__ == "__main__":
    main()
