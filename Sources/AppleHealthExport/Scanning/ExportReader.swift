// SPDX-License-Identifier: Apache-2.0

/// A summary of an export.
package struct ExportSummary: Sendable {
    /// The form of the export.
    package var kind = ExportKind.xml
    /// The number of records passed to the consumer.
    package var records = 0
    /// The number of skipped records, each with an issue.
    package var recordsSkipped = 0
    /// The numbers of other top-level elements passed to the consumer, by name.
    package var elements: [String: Int] = [:]
    /// The number of documents passed to the consumer.
    package var documents = 0
    /// The length of the XML in bytes.
    package var bytes: UInt64 = 0
    /// The issues, with repairs and skipped items.
    package var issues = IssueLog()
    /// Whether the root's end tag was read and nothing is missing after it. False for a truncated file, and for a
    /// fragment without a root, which may be truncated.
    package var complete = false
}

/// Limits against hostile files. No real export reaches them.
package struct ExportLimits: Sendable {
    /// The number of bytes read at once, which is also the memory for ordinary elements.
    package var window = 1 << 20
    /// The maximum length of an element other than a record.
    package var elementBytes = 64 << 20
    /// The maximum length of a record: its parts need several times as much memory as in the file.
    package var recordBytes = 8 << 20
    /// The effective limit of a record, which is an element as well.
    var mostRecordBytes: Int { min(recordBytes, elementBytes) }
    /// The maximum length of an attribute value, a comment or a text.
    package var attributeBytes = 1 << 20
    /// The maximum number of attributes in a tag.
    package var attributes = 64
    /// The maximum nesting below a top-level element.
    package var depth = 32
    /// The offset before which the root element must start.
    package var prologBytes = 4 << 20
    /// The total number of bytes that may be scanned again after malformed elements.
    package var rescanBytes = 16 << 20
    /// The maximum number of files in an archive or folder.
    package var entries = 100_000
    /// The maximum length of a document; longer documents are skipped.
    package var documentBytes = 64 << 20
    /// The maximum decompressed length of the XML in an archive.
    package var xmlBytes: UInt64 = 64 << 30
    /// The maximum decompressed length of all documents of an export.
    package var allDocumentBytes: UInt64 = 64 << 30
    /// The maximum compression ratio of a file in an archive.
    package var ratio: UInt64 = 250

    package init() {}
}

/// A reader of exports as a sequence of events.
package enum ExportReader {}
