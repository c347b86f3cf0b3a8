"""What people do with tf_agents: a DQN agent, its environment and its replay buffer."""

import os

os.environ["TF_USE_LEGACY_KERAS"] = "1"

import numpy as np
import tensorflow as tf
import tf_keras
from tf_agents.agents.dqn import dqn_agent
from tf_agents.environments import py_environment, tf_py_environment
from tf_agents.networks import q_network
from tf_agents.replay_buffers import tf_uniform_replay_buffer
from tf_agents.specs import array_spec
from tf_agents.trajectories import time_step as ts
from tf_agents.trajectories import trajectory

tf.random.set_seed(0)


class Walk(py_environment.PyEnvironment):
    """Rewards steps to the right; an episode has ten steps."""

    def __init__(self):
        super().__init__()
        self._position = self._steps = 0

    def action_spec(self):
        return array_spec.BoundedArraySpec((), np.int32, 0, 1, "action")

    def observation_spec(self):
        return array_spec.ArraySpec((1,), np.float32, "observation")

    def _reset(self):
        self._position = self._steps = 0
        return ts.restart(np.zeros([1], np.float32))

    def _step(self, action):
        if self._current_time_step.is_last():
            return self.reset()
        self._steps += 1
        self._position += 1 if action == 1 else -1
        seen = np.array([self._position / 10], np.float32)
        reward = 1.0 if action == 1 else 0.0
        return ts.termination(seen, reward) if self._steps == 10 else ts.transition(seen, reward)


environment = tf_py_environment.TFPyEnvironment(Walk())
assert environment.reset().observation.shape == [1, 1]
print("ok: environment")

network = q_network.QNetwork(
    environment.observation_spec(), environment.action_spec(), fc_layer_params=(16,)
)
agent = dqn_agent.DqnAgent(
    environment.time_step_spec(),
    environment.action_spec(),
    q_network=network,
    optimizer=tf_keras.optimizers.Adam(1e-2),
    epsilon_greedy=0.5,
    gamma=0.5,
    target_update_period=5,
)
agent.initialize()
print("ok: agent")

buffer = tf_uniform_replay_buffer.TFUniformReplayBuffer(
    agent.collect_data_spec, batch_size=1, max_length=500
)
step = environment.reset()
for _ in range(60):
    action = agent.collect_policy.action(step)
    following = environment.step(action.action)
    buffer.add_batch(trajectory.from_transition(step, action, following))
    step = following
assert int(buffer.num_frames()) == 60
print("ok: replay buffer")

samples = iter(buffer.as_dataset(sample_batch_size=16, num_steps=2).prefetch(2))
losses = [float(agent.train(next(samples)[0]).loss) for _ in range(60)]
assert np.isfinite(losses).all()
step = environment.reset()
assert int(agent.policy.action(step).action[0]) == 1
print("ok: training")
