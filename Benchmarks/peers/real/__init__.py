# SPDX-License-Identifier: Apache-2.0
"""Real series: readers of recordings as devices and archives wrote them."""
