// SPDX-License-Identifier: Apache-2.0
// KymographMetrics: publishes the counters and events of a store through swift-metrics and swift-log.
//
// The engine counts and does not depend on the two packages; this module names its counters and events.
// `Docs/Operations/Metrics.md` lists every name, and a test compares the code with that page.
