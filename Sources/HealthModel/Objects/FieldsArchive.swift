// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The archived content of a sample that a store keeps as fields.
struct FieldsArchive: Codable {
    /// One field: exactly one of its values is present.
    private struct Item: Codable {
        let number: Int
        var integer: Int64?
        var real: Double?
        var text: String?
        var quantity: QuantityRecord?
        var date: Date?
        var data: Data?
        var fields: FieldsArchive?

        init(_ field: HealthFields.Field) {
            number = field.number
            switch field.value {
            case .integer(let value): integer = value
            case .real(let value): real = value
            case .text(let value): text = value
            case .quantity(let value): quantity = QuantityRecord(value)
            case .date(let value): date = value
            case .data(let value): data = value
            case .fields(let value): fields = FieldsArchive(value)
            }
        }

        /// The field; nil without a value.
        var field: HealthFields.Field? {
            let value: HealthFields.Value? =
                if let integer {
                    .integer(integer)
                } else if let real {
                    .real(real)
                } else if let text {
                    .text(text)
                } else if let quantity {
                    .quantity(quantity.quantity)
                } else if let date {
                    .date(date)
                } else if let data { .data(data) } else { fields.map { .fields($0.fields) } }
            return value.map { HealthFields.Field(number, $0) }
        }
    }

    private let items: [Item]

    init(_ fields: HealthFields) { items = fields.all.map { Item($0) } }

    /// The fields, without the items that have no value.
    var fields: HealthFields { HealthFields(items.compactMap(\.field)) }
}

extension NSCoder {
    private static let fieldsKey = "fields"

    /// Writes the content of a sample that a store keeps as fields; nothing for other samples.
    func encode(fieldsOf sample: HKSample) {
        if let fields = sample.fields { encode(FieldsArchive(fields), record: Self.fieldsKey) }
    }

    /// Reads a sample from its fields; nil if the archive has none of the class.
    func decodeFields<Sample: HKSample>(_ type: Sample.Type) -> Sample? {
        guard let record = decode(SampleRecord.self, record: "sample"), let sampleType = record.type,
            let header = decode(ObjectRecord.self, record: "object")?.header,
            let archive = decode(FieldsArchive.self, record: Self.fieldsKey)
        else { return nil }
        let sample = try? archive.fields.sample(of: sampleType, header, start: record.start, end: record.end)
        return sample as? Sample
    }
}
