// SPDX-License-Identifier: Apache-2.0

/// The samples and columns that a scan of runs reads, and their order.
package struct RunScan {
    /// The range in which the samples start.
    package var range: TimeRange
    package var columns: SampleColumns
    package var order = ScanOrder.forward
    /// Blocks in which every sample starts before and ends at or before this instant are skipped. Such samples of other
    /// blocks are still returned.
    package var instant = Int64.min
    /// Whether the commit orders samples with equal start and end, and not their runs.
    var ordersByCommit = false
    package var explanation: QueryExplanation?

    package init(_ range: TimeRange, _ columns: SampleColumns, _ explanation: QueryExplanation? = nil) {
        self.range = range
        self.columns = columns
        self.explanation = explanation
    }

    var isBackward: Bool { order == .backward }
}
