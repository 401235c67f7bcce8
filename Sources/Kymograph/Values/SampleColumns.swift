// SPDX-License-Identifier: Apache-2.0

import ChunkFormat

/// The columns that a scan decodes.
package struct SampleColumns: OptionSet, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    private init(_ set: ColumnSet) { rawValue = set.rawValue }

    package static var starts: SampleColumns { SampleColumns(.starts) }
    package static var ends: SampleColumns { SampleColumns(.ends) }
    package static var values: SampleColumns { SampleColumns(.values) }
    /// The creation times.
    package static var created: SampleColumns { SampleColumns(.created) }
    /// The row numbers of source, version and device.
    package static var provenance: SampleColumns { SampleColumns(.provenance) }
    /// The row numbers of metadata sets.
    package static var metadata: SampleColumns { SampleColumns(.metadata) }
    package static var identity: SampleColumns { SampleColumns(.identity) }
    /// The commits that added the samples.
    package static var born: SampleColumns { SampleColumns(.born) }
    package static var all: SampleColumns { SampleColumns(.all) }

    /// The columns as the block decoder names them.
    var set: ColumnSet { ColumnSet(rawValue: rawValue) }
}
