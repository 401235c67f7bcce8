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

/// A device's description as in an export, without the memory address at its start, which differs in every export.
package struct DeviceRow: Sendable, Hashable {
    package var id: Int64
    package var text: String

    package init(id: Int64, text: String) {
        self.id = id
        self.text = text
    }
}

/// The source version and device that recorded a sample; its id is in the sample's provenance column.
package struct ProvenanceRow: Sendable, Hashable {
    package var id: Int64
    package var source: Int64
    /// Nil if unknown; an empty text is a version of its own.
    package var version: String?
    package var device: Int64?
    /// The hardware model on which the source ran, such as `iPhone15,2`.
    package var product: String?
    /// The operating system's version on that hardware.
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

/// A set of metadata in the caller's canonical encoding; equal sets share one row.
package struct MetadataRow: Sendable, Hashable {
    package var id: Int64
    package var body: [UInt8]

    package init(id: Int64, body: [UInt8]) {
        self.id = id
        self.body = body
    }
}

/// The health layer's description of an engine series.
package struct HealthSeriesRow: Sendable, Hashable {
    /// The id of the engine's series.
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

/// An element of an import that is kept as text: a workout, a correlation, an activity summary ...
package struct ElementRow: Sendable, Hashable {
    package var id: Int64
    /// Positive; numbered by the caller.
    package var kind: Int64
    /// Nanoseconds since 1970 UTC; nil for an element without a time.
    package var start: Int64?
    package var end: Int64?
    /// The `HealthCatalog.digest` of the fields that identify equal elements.
    package var digest: Int64
    /// The commit that added it; an insert ignores this value and stores its own commit.
    package var born: Int64
    /// The commit that deleted it; nil while it is live.
    package var died: Int64?
    /// The caller's encoding of the whole element.
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

/// An object saved through the API that is more than a row of a series: a quantity series, a correlation, an
/// electrocardiogram ...
package struct SavedObjectRow: Sendable, Hashable {
    package var id: Int64
    /// 16 bytes.
    package var uuid: [UInt8]
    /// Positive; numbered by the caller.
    package var kind: Int64
    /// The sample type's identifier.
    package var type: String
    package var provenance: Int64
    /// The id of its metadata set; 0 for none.
    package var metadata: Int64
    /// Nanoseconds since 1970 UTC.
    package var start: Int64
    package var end: Int64
    /// The time when it was saved; nil if unknown.
    package var created: Int64?
    /// The commit that added it; an insert ignores this value and stores its own commit.
    package var born: Int64
    /// The commit that deleted it; nil while it is live.
    package var died: Int64?
    /// The caller's encoding of the other fields.
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

/// The object and version of a sync identifier.
package struct SyncRow: Sendable, Hashable {
    package var type: String
    package var source: Int64
    package var identifier: String
    package var version: Double
    /// 16 bytes.
    package var uuid: [UInt8]
    /// The start of the object, for finding it.
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

/// A file in an export, without its contents.
package struct DocumentRow: Sendable, Hashable {
    package var id: Int64
    /// The file's path inside the export.
    package var path: String
    /// The `HealthCatalog.digest` of the contents.
    package var digest: Int64
    /// The file's length in bytes; the stored body may be shorter if the caller compresses it.
    package var bytes: Int64

    package init(id: Int64, path: String, digest: Int64, bytes: Int64) {
        self.id = id
        self.path = path
        self.digest = digest
        self.bytes = bytes
    }
}

/// One import and its result.
package struct ImportRow: Sendable, Hashable {
    /// 0 in an insert, which assigns the next id.
    package var id: Int64
    package var file: String
    /// The digest of the whole file, of any length; empty if it was not computed.
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
