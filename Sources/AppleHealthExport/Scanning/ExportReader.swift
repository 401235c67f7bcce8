// SPDX-License-Identifier: Apache-2.0

/// What an export held.
package struct ExportSummary: Sendable {
    /// Whether the file was a zip archive or plain XML.
    package var kind = ExportKind.xml
    /// The records given to the consumer.
    package var records = 0
    /// The records left out, each with an issue.
    package var recordsSkipped = 0
    /// The other top-level elements given to the consumer, by name.
    package var elements: [String: Int] = [:]
    /// The documents given to the consumer.
    package var documents = 0
    /// The length of the XML in bytes.
    package var bytes: UInt64 = 0
    /// What was repaired and skipped.
    package var issues = IssueLog()
    /// Whether the end tag of the root was read and nothing is missing behind it; false for a file that was cut off,
    /// and for fragments without a root, of which nobody can tell.
    package var complete = false
}

/// Bounds against hostile files. None is reached by a real export.
package struct ExportLimits: Sendable {
    /// The bytes read at a time, and so the memory needed for ordinary elements.
    package var window = 1 << 20
    /// The longest element that is kept, but for records.
    package var elementBytes = 64 << 20
    /// The longest record: in memory, its parts take several times what they take in the file.
    package var recordBytes = 8 << 20
    /// A record is an element, too.
    var mostRecordBytes: Int { min(recordBytes, elementBytes) }
    /// The longest attribute value, comment or stretch of text.
    package var attributeBytes = 1 << 20
    /// The most attributes of one tag.
    package var attributes = 64
    /// The deepest nesting below a top-level element.
    package var depth = 32
    /// Where the root element must have begun.
    package var prologBytes = 4 << 20
    /// How many bytes are read once more, in all, after malformed elements that turned out so far behind their start.
    package var rescanBytes = 16 << 20
    /// The most files in an archive.
    package var entries = 100_000
    /// The longest document; longer ones are skipped.
    package var documentBytes = 64 << 20
    /// The most bytes the XML of an archive may unpack to.
    package var xmlBytes: UInt64 = 64 << 30
    /// The most bytes all documents of an archive may unpack to.
    package var allDocumentBytes: UInt64 = 64 << 30
    /// How many times larger a file of an archive may be than its packed bytes.
    package var ratio: UInt64 = 250

    package init() {}
}

/// Reads an export from a file, as events.
package enum ExportReader {}
