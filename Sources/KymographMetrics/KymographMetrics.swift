// SPDX-License-Identifier: Apache-2.0
// KymographMetrics: tells swift-log and swift-metrics what a store does, for programs that watch themselves by these.
//
// The engine counts, and knows neither of the two packages; here its counters and events get names. Every name stands
// in `Docs/Metrics.md`, and a test compares the two.
