// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The key of the detailed faults of a document in the `userInfo` of an error: a text with one fault a line.
public let HKDetailedCDAValidationErrorKey = "HKDetailedCDAValidationErrorKey"

/// A sample with a document. Programs use the subclass ``HKCDADocumentSample``.
public class HKDocumentSample: HKSample, @unchecked Sendable {
    /// The type of the document.
    public var documentType: HKDocumentType {
        sampleType as? HKDocumentType ?? HKDocumentType(facts: sampleType.facts)
    }
}

/// A sample with a medical document in HL7's Clinical Document Architecture (CDA).
public final class HKCDADocumentSample: HKDocumentSample, @unchecked Sendable {
    /// The stored content of a document.
    package struct Content: Sendable, Hashable {
        package var names: CDANames
        /// The XML; nil if a query did not ask for it.
        package var data: Data?
    }

    /// The content; nil for a sample of a query that does not return documents.
    package let content: Content?

    package init(header: ObjectHeader, type: HKDocumentType, start: Date, end: Date, content: Content?) {
        self.content = content
        super.init(header: header, type: type, start: start, end: end)
    }

    /// Decodes a sample that `encode(with:)` encoded; nil if the archive has no object of this class.
    public required init?(coder: NSCoder) {
        guard let known = coder.decodeFields(HKCDADocumentSample.self) else { return nil }
        content = known.content
        super.init(coder: coder)
    }

    /// Creates a sample of an XML document, whose title and names it reads. `Docs/Guide/Records.md` lists the rules.
    ///
    /// - Parameters:
    ///   - documentData: XML in UTF-8 of at most 64 MiB.
    ///   - endDate: at most four days after the start; `save` refuses other times.
    /// - Throws: an ``HKError`` with `errorInvalidArgument` for bytes that are not a CDA document. The text of the key
    ///   ``HKDetailedCDAValidationErrorKey`` in its `userInfo` names each fault and its line.
    /// - Complexity: O(bytes).
    public convenience init(
        data documentData: Data, start startDate: Date, end endDate: Date, metadata: [String: Any]?
    ) throws {
        self.init(
            header: ObjectHeader(device: nil, metadata: metadata), type: HKDocumentType(.CDA), start: startDate,
            end: endDate, content: try Content(reading: documentData))
    }

    /// The document. It is nil in samples of sample queries and anchored queries; `HKDocumentQuery` returns it.
    public var document: HKCDADocument? { content.map { HKCDADocument(names: $0.names, data: $0.data) } }

    /// Returns the sample with a part of its content.
    package func showing(_ part: DocumentPart) -> HKCDADocumentSample {
        guard let content, part != .all else { return self }
        let shown = part == .names ? Content(names: content.names, data: nil) : nil
        return HKCDADocumentSample(
            header: header, type: HKDocumentType(facts: documentType.facts), start: startDate, end: endDate,
            content: shown)
    }

    package override var fields: HealthFields? { content?.fields ?? HealthFields() }
}

/// How much of a document a query returns.
package enum DocumentPart: Sendable {
    case none
    /// The title and the names, without the XML.
    case names
    case all
}

extension HKCDADocumentSample.Content {
    /// Reads the title and the names of a document.
    init(reading data: Data) throws(HKError) {
        do throws(CDAReader.Faults) {
            self.init(names: try CDAReader.names(data), data: data)
        } catch {
            throw HKError(
                .errorInvalidArgument,
                userInfo: [
                    NSLocalizedFailureReasonErrorKey: error.reasons.first ?? "the document is not valid",
                    NSLocalizedRecoverySuggestionErrorKey:
                        "give a CDA document in UTF-8; \(HKDetailedCDAValidationErrorKey) lists all faults",
                    HKDetailedCDAValidationErrorKey: error.reasons.joined(separator: "\n"),
                ])
        }
    }

    /// The content as fields: 1 title, 2 patient, 3 author, 4 custodian, 5 XML.
    var fields: HealthFields {
        var fields = HealthFields()
        fields.put(1, names.title)
        fields.put(2, names.patient)
        fields.put(3, names.author)
        fields.put(4, names.custodian)
        fields.put(5, data)
        return fields
    }

    /// Creates the content of fields; nil without a title.
    init?(fields: HealthFields) throws(HealthFields.Fault) {
        guard let title = try fields.text(1) else { return nil }
        self.init(
            names: CDANames(
                title: title, patient: try fields.text(2) ?? "", author: try fields.text(3) ?? "",
                custodian: try fields.text(4) ?? ""), data: try fields.data(5))
    }
}
