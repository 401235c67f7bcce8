# SPDX-License-Identifier: Apache-2.0
"""The parts shared by all peers: data, clocks, the expected results, and the suite of measurements."""
