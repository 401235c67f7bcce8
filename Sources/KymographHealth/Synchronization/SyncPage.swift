// SPDX-License-Identifier: Apache-2.0

package import HealthCatalog

/// A page of changes for another store, which stores it in one commit. Row numbers are those of the sending store.
package struct SyncPage: Sendable {
    /// Samples of one series, as an encoded block.
    package struct Block: Sendable, Equatable {
        /// The number of the series.
        package var series: Int64
        /// The place of its bytes in ``SyncPage/bytes``.
        package var range: Range<Int>

        package init(series: Int64, range: Range<Int>) {
            self.series = series
            self.range = range
        }
    }

    /// A deleted sample.
    package struct DeadSample: Sendable, Equatable {
        package var series: Int64
        package var identity: SampleIdentity
        /// A range with the start of the sample.
        package var range: TimeRange

        package init(series: Int64, identity: SampleIdentity, range: TimeRange) {
            self.series = series
            self.identity = identity
            self.range = range
        }
    }

    /// A deleted object.
    package struct DeadObject: Sendable, Equatable {
        /// 16 bytes.
        package var uuid: [UInt8]
        package var type: String
        package var start: Int64

        package init(uuid: [UInt8], type: String, start: Int64) {
            self.uuid = uuid
            self.type = type
            self.start = start
        }
    }

    /// The sync identifier of a deleted sample or object that has no newer version.
    package struct DeadVersion: Sendable, Equatable {
        /// 16 bytes.
        package var uuid: [UInt8]
        package var type: String
        /// The number of the source.
        package var source: Int64
        package var identifier: String
        package var version: Double
        package var start: Int64

        package init(uuid: [UInt8], type: String, source: Int64, identifier: String, version: Double, start: Int64) {
            (self.uuid, self.type, self.source, self.start) = (uuid, type, source, start)
            (self.identifier, self.version) = (identifier, version)
        }
    }

    /// What identifies an element of an import in any store.
    package struct ElementKey: Sendable, Equatable {
        /// The number of the element in the sending store.
        package var id: Int64
        package var kind: Int64
        package var digest: Int64

        package init(id: Int64, kind: Int64, digest: Int64) {
            self.id = id
            self.kind = kind
            self.digest = digest
        }
    }

    /// A file of an import, and its stored bytes.
    package struct Document: Sendable, Equatable {
        package var row: DocumentRow
        package var body: [UInt8]

        package init(row: DocumentRow, body: [UInt8]) {
            self.row = row
            self.body = body
        }
    }

    /// An attachment of an object, and its content.
    package struct Attachment: Sendable, Equatable {
        package var row: AttachmentRow
        package var content: [UInt8]
        /// The sync identifier of the object, of which the other store may have another version.
        package var named: Named?

        package init(row: AttachmentRow, content: [UInt8], named: Named?) {
            self.row = row
            self.content = content
            self.named = named
        }
    }

    /// The sync identifier of an object, whatever its version.
    package struct Named: Sendable, Equatable {
        package var type: String
        /// The number of the source.
        package var source: Int64
        package var identifier: String

        package init(type: String, source: Int64, identifier: String) {
            (self.type, self.source, self.identifier) = (type, source, identifier)
        }
    }

    // Names that the page, or a later one, uses. Each is sent once in a session.
    package var sources: [SourceRow] = []
    package var devices: [DeviceRow] = []
    package var provenances: [ProvenanceRow] = []
    package var metadata: [MetadataRow] = []
    package var series: [HealthSeriesRow] = []

    package var deadObjects: [DeadObject] = []
    package var deadSamples: [DeadSample] = []
    package var deadVersions: [DeadVersion] = []
    /// The bytes of all blocks.
    package var bytes: [UInt8] = []
    package var blocks: [Block] = []
    package var elements: [ElementRow] = []
    /// The elements of earlier sessions to which objects of the page refer.
    package var elementKeys: [ElementKey] = []
    package var documents: [Document] = []
    package var objects: [SavedObjectRow] = []
    package var attachments: [Attachment] = []
    /// All values of the sending store, if one has changed; else none.
    package var values = SyncValues()
    /// The number of samples in the blocks.
    package var samples = 0
    /// The position after the page, as text for the sending store only.
    package var position = ""
    /// Whether there were no more changes when the page was made.
    package var isLast = false

    package init() {}

    /// Whether the page has no change; it may still have a new position.
    package var isEmpty: Bool {
        deadObjects.isEmpty && deadSamples.isEmpty && blocks.isEmpty && elements.isEmpty && documents.isEmpty
            && objects.isEmpty && attachments.isEmpty && values.isEmpty
    }
}
