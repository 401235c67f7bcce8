// SPDX-License-Identifier: Apache-2.0
// AppleHealthExport: reads and writes Apple's export.zip and export.xml.

/// The form of an export.
package enum ExportKind: Sendable, Equatable {
    /// A plain `export.xml`.
    case xml
    /// An `export.zip` of the Health app.
    case zip
    /// A folder with the files of an `export.zip`.
    case folder
}

/// The data before the first record of an export.
package struct ExportHeader: Sendable, Equatable {
    /// The form of the export.
    package var kind = ExportKind.xml
    /// The path of the XML inside the archive or folder; nil for plain XML.
    package var entry: String?
    /// `HealthData/@locale`, such as `en_GB`; nil if there is none.
    package var locale: String?
    /// `ExportDate/@value` as written; nil if there is none.
    package var exportDate: String?
    /// The number of the comment `HealthKit Export Version: n`; nil for files without a document type.
    package var version: Int?
    /// The attributes of `Me`, in order and unescaped; empty if there is none.
    package var me: [ExportAttribute] = []
}

/// An attribute with its unescaped value.
package struct ExportAttribute: Sendable, Equatable {
    package var name: String
    /// The value, with resolved references.
    package var value: String
}

/// A consumer of an export's contents, in the order of the file. A thrown error ends the reading.
package protocol ExportConsumer {
    /// Receives the header; called once, before all other calls except `progress`.
    mutating func header(_ header: ExportHeader) throws

    /// Receives a top-level `Record` with a type, readable dates and, for a quantity, a finite number.
    ///
    /// - Parameter record: valid only during the call; its memory is reused for the next one.
    mutating func record(_ record: borrowing RecordFields) throws

    /// Receives any other top-level element, with its children.
    ///
    /// - Parameters:
    ///   - name: the element's name: `Workout`, `Correlation`, `ActivitySummary` ..., or an unknown one.
    ///   - xml: the bytes from `<` to `>`, after repair (see `ExportIssue.Reason`): well-formed tags with at most 64
    ///     attributes each, nested at most 32 deep. Parse them with `ElementCursor` or `ExportElement`. Valid only
    ///     during the call.
    ///   - line: the line of its start, from 1.
    ///   - offset: the byte offset of its start in the XML, from 0.
    mutating func element(name: String, xml: ArraySlice<UInt8>, line: Int, offset: UInt64) throws

    /// Receives a file other than the XML: a route (GPX), an electrocardiogram (CSV), a clinical record
    /// (JSON), an attachment. All files follow the XML.
    ///
    /// - Parameters:
    ///   - path: the path as in `FileReference/@path`, relative to the folder of the XML: `/workout-routes/x.gpx`. It
    ///     is a key, never a path of this machine.
    ///   - deflated: the bytes as the raw deflate stream of an archive, which was read completely and is shorter; nil
    ///     if there is none.
    mutating func document(path: String, bytes: [UInt8], deflated: [UInt8]?) throws

    /// Receives the progress; called about once per MiB, and at the end.
    ///
    /// - Parameter bytesTotal: the length of the file, or of the decompressed XML and documents.
    mutating func progress(bytesRead: UInt64, bytesTotal: UInt64, records: Int) throws
}

extension ExportConsumer {
    /// Calls the consumer; throws its error as an `ExportError`.
    mutating func call(_ body: (inout Self) throws -> Void) throws(ExportError) {
        do { try body(&self) } catch { throw .consumer(error) }
    }

    package mutating func document(path: String, bytes: [UInt8], deflated: [UInt8]?) throws {}

    package mutating func progress(bytesRead: UInt64, bytesTotal: UInt64, records: Int) throws {}
}
