// SPDX-License-Identifier: Apache-2.0

/// An app or a device that records samples.
package struct SourceRow: Sendable, Hashable {
    package var id: Int64
    package var name: String
    package var bundle: String?

    package init(id: Int64, name: String, bundle: String? = nil) {
        self.id = id
        self.name = name
        self.bundle = bundle
    }
}

/// A device's description as an export writes it, without the address at its head that differs in every export.
package struct DeviceRow: Sendable, Hashable {
    package var id: Int64
    package var text: String

    package init(id: Int64, text: String) {
        self.id = id
        self.text = text
    }
}

/// Which version of a source recorded a sample, and on which device: the number in a sample's provenance column.
package struct ProvenanceRow: Sendable, Hashable {
    package var id: Int64
    package var source: Int64
    /// nil: none is known; an empty text is a version of its own.
    package var version: String?
    package var device: Int64?
    /// The kind of machine on which the source ran, such as `iPhone15,2`.
    package var product: String?
    /// The version of that machine's operating system.
    package var system: String?

    package init(
        id: Int64, source: Int64, version: String? = nil, device: Int64? = nil, product: String? = nil,
        system: String? = nil
    ) {
        self.id = id
        self.source = source
        self.version = version
        self.device = device
        self.product = product
        self.system = system
    }
}

/// A set of metadata, as the canonical bytes of its caller; equal sets are one row.
package struct MetadataRow: Sendable, Hashable {
    package var id: Int64
    package var body: [UInt8]

    package init(id: Int64, body: [UInt8]) {
        self.id = id
        self.body = body
    }
}

/// What a series of the engine means to the health layer.
package struct HealthSeriesRow: Sendable, Hashable {
    /// The engine's series.
    package var series: Int64
    /// The sample type's identifier.
    package var type: String
    package var source: Int64
    /// The unit of the stored values; nil for categories.
    package var unit: String?

    package init(series: Int64, type: String, source: Int64, unit: String? = nil) {
        self.series = series
        self.type = type
        self.source = source
        self.unit = unit
    }
}

/// A health object that is no quantity or category sample: a workout, a correlation, an activity summary ...
package struct ElementRow: Sendable, Hashable {
    package var id: Int64
    /// Positive; the caller's numbering.
    package var kind: Int64
    /// Nanoseconds since 1970 UTC; nil for an object without a time.
    package var start: Int64?
    package var end: Int64?
    /// `HealthCatalog.digest` of what makes two objects the same.
    package var digest: Int64
    /// The commit that brought it; an insert writes its own commit, whatever stands here.
    package var born: Int64
    /// The commit that retired it; nil while it is live.
    package var died: Int64?
    /// The caller's encoding of the whole object.
    package var body: [UInt8]

    package init(
        id: Int64, kind: Int64, start: Int64?, end: Int64?, digest: Int64, born: Int64 = 0, died: Int64? = nil,
        body: [UInt8]
    ) {
        self.id = id
        self.kind = kind
        self.start = start
        self.end = end
        self.digest = digest
        self.born = born
        self.died = died
        self.body = body
    }
}

/// A sample that is more than a row of a series: a quantity series, a correlation, an electrocardiogram ...
package struct SavedObjectRow: Sendable, Hashable {
    package var id: Int64
    /// 16 bytes.
    package var uuid: [UInt8]
    /// Positive; the caller's numbering.
    package var kind: Int64
    /// The sample type's identifier.
    package var type: String
    package var provenance: Int64
    /// A row of the metadata table; 0 is none.
    package var metadata: Int64
    /// Nanoseconds since 1970 UTC.
    package var start: Int64
    package var end: Int64
    /// When it was saved; nil where nothing is known.
    package var created: Int64?
    /// The commit that brought it; an insert writes its own commit, whatever stands here.
    package var born: Int64
    /// The commit that retired it; nil while it is live.
    package var died: Int64?
    /// The caller's encoding of the rest.
    package var body: [UInt8]

    package init(
        id: Int64, uuid: [UInt8], kind: Int64, type: String, provenance: Int64, metadata: Int64 = 0, start: Int64,
        end: Int64, created: Int64? = nil, born: Int64 = 0, died: Int64? = nil, body: [UInt8]
    ) {
        self.id = id
        self.uuid = uuid
        self.kind = kind
        self.type = type
        self.provenance = provenance
        self.metadata = metadata
        self.start = start
        self.end = end
        self.created = created
        self.born = born
        self.died = died
        self.body = body
    }
}

/// Which object has a sync identifier, and in which version.
package struct SyncRow: Sendable, Hashable {
    package var type: String
    package var source: Int64
    package var identifier: String
    package var version: Double
    /// 16 bytes.
    package var uuid: [UInt8]
    /// Where the object starts, to find it by.
    package var start: Int64

    package init(type: String, source: Int64, identifier: String, version: Double, uuid: [UInt8], start: Int64) {
        self.type = type
        self.source = source
        self.identifier = identifier
        self.version = version
        self.uuid = uuid
        self.start = start
    }
}

/// A file that came with an export, but for its contents.
package struct DocumentRow: Sendable, Hashable {
    package var id: Int64
    /// Its path inside the export.
    package var path: String
    /// `HealthCatalog.digest` of its contents.
    package var digest: Int64
    /// Its length; the stored body may be shorter, if the caller compresses.
    package var bytes: Int64

    package init(id: Int64, path: String, digest: Int64, bytes: Int64) {
        self.id = id
        self.path = path
        self.digest = digest
        self.bytes = bytes
    }
}

/// One import and what came of it.
package struct ImportRow: Sendable, Hashable {
    /// 0 in an insert: the next one.
    package var id: Int64
    package var file: String
    /// Of the whole file; any length, empty if it was not taken.
    package var digest: [UInt8]
    /// Nanoseconds since 1970 UTC.
    package var at: Int64
    package var records: Int64
    package var added: Int64
    package var skipped: Int64
    package var repaired: Int64
    package var note: String

    package init(
        id: Int64 = 0, file: String, digest: [UInt8] = [], at: Int64, records: Int64, added: Int64, skipped: Int64,
        repaired: Int64, note: String = ""
    ) {
        self.id = id
        self.file = file
        self.digest = digest
        self.at = at
        self.records = records
        self.added = added
        self.skipped = skipped
        self.repaired = repaired
        self.note = note
    }
}
