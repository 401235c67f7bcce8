// SPDX-License-Identifier: Apache-2.0
// AppleHealthExport: Apple's export.zip and export.xml in, and out again.

/// The kind of file an export was read from.
package enum ExportKind: Sendable, Equatable {
    /// A plain `export.xml`.
    case xml
    /// An `export.zip` as the Health app shares it.
    case zip
}

/// What stands before the first record of an export.
package struct ExportHeader: Sendable, Equatable {
    /// Whether the file was a zip archive or plain XML.
    package var kind = ExportKind.xml
    /// The path of the XML inside the archive; nil for plain XML.
    package var entry: String?
    /// `HealthData/@locale`, such as `en_GB`; nil if there is none.
    package var locale: String?
    /// `ExportDate/@value` as it is written; nil if there is none.
    package var exportDate: String?
    /// The number of the comment `HealthKit Export Version: n`; nil for files without a document type.
    package var version: Int?
    /// The attributes of `Me` in their order, unescaped; empty if there is none.
    package var me: [ExportAttribute] = []
}

/// A name and its unescaped value.
package struct ExportAttribute: Sendable, Equatable {
    /// The name of the attribute.
    package var name: String
    /// Its value, references resolved.
    package var value: String
}

/// Takes what an export holds, in the order of the file. A thrown error ends the reading.
package protocol ExportConsumer {
    /// Called once, before everything else but `progress`.
    mutating func header(_ header: ExportHeader) throws

    /// A top-level `Record` with a type, readable dates and, for a quantity, a finite number.
    ///
    /// - Parameter record: Valid only during the call; its memory is used again for the next one.
    mutating func record(_ record: borrowing RecordFields) throws

    /// Any other top-level element, its children included.
    ///
    /// - Parameters:
    ///   - name: The element's name: `Workout`, `Correlation`, `ActivitySummary` ..., or one nobody knows yet.
    ///   - xml: Its bytes, from `<` to `>`, after repair (see `ExportIssue.Reason`): well-formed tags with at most 64
    ///     attributes each, at most 32 deep. Read them with `ElementCursor` or `ExportElement`. Copy what you keep.
    ///   - line: The line it starts on, from 1.
    ///   - offset: The byte of the XML it starts at, from 0.
    mutating func element(name: String, xml: ArraySlice<UInt8>, line: Int, offset: UInt64) throws

    /// A file of the archive beside the XML: a route (GPX), an electrocardiogram (CSV), a clinical record (JSON), an
    /// attachment. All of them come after the XML.
    ///
    /// - Parameter path: As `FileReference/@path` writes it, from the folder of the XML: `/workout-routes/x.gpx`. It
    ///   is a key, never a path of this machine.
    mutating func document(path: String, bytes: [UInt8]) throws

    /// Called about once per MiB, and at the end.
    ///
    /// - Parameter bytesTotal: The length of the file, or of the XML and documents unpacked.
    mutating func progress(bytesRead: UInt64, bytesTotal: UInt64, records: Int) throws
}

extension ExportConsumer {
    /// Ignores documents.
    package mutating func document(path: String, bytes: [UInt8]) throws {}

    /// Ignores progress.
    package mutating func progress(bytesRead: UInt64, bytesTotal: UInt64, records: Int) throws {}
}
