// SPDX-License-Identifier: Apache-2.0

import CKymograph

/// The type of a column.
package enum ArrowType: Hashable, Sendable {
    case int64, double, text
    /// An instant since 1970-01-01 UTC in units of a time, shown in a zone.
    case timestamp(TimeUnit, zone: String)
    /// 16 bytes.
    case uuid
    /// A number for each row, and a list of texts for all rows.
    case dictionary

    /// Units of timestamps.
    package enum TimeUnit: Int32, Hashable, Sendable {
        case nanoseconds = 0
        case microseconds = 1
        case milliseconds = 2

        /// The length of the unit in nanoseconds.
        package var nanoseconds: Int64 {
            switch self {
            case .nanoseconds: 1
            case .microseconds: 1_000
            case .milliseconds: 1_000_000
            }
        }
    }

    /// The type as the C data interface writes it.
    var format: String {
        switch self {
        case .int64: "l"
        case .dictionary: "i"
        case .double: "g"
        case .text: "u"
        case .timestamp(.nanoseconds, let zone): "tsn:\(zone)"
        case .timestamp(.microseconds, let zone): "tsu:\(zone)"
        case .timestamp(.milliseconds, let zone): "tsm:\(zone)"
        case .uuid: "w:16"
        }
    }

    /// The bytes of a row; 0 if they vary.
    var width: Int {
        switch self {
        case .int64, .double, .timestamp: 8
        case .dictionary: 4
        case .uuid: 16
        case .text: 0
        }
    }
}

/// A column of a stream: its name and type. Every column is marked nullable, as consumers expect.
package struct ArrowField: Hashable, Sendable {
    package var name: String
    package var type: ArrowType

    package init(_ name: String, _ type: ArrowType) {
        self.name = name
        self.type = type
    }
}

/// The columns and the metadata of a stream.
package struct ArrowSchemaFields: Sendable {
    package var fields: [ArrowField]
    package var metadata: [String: String]

    package init(_ fields: [ArrowField], metadata: [String: String] = [:]) {
        self.fields = fields
        self.metadata = metadata
    }

    /// Writes the schema into a struct of the caller, which releases it.
    func export(to out: UnsafeMutablePointer<ArrowSchema>) {
        unsafe out.pointee = ArrowSchemaExport.schema("+s", "", metadata, flags: 0, fields.map(Self.child), nil)
    }

    private static func child(_ field: ArrowField) -> ArrowSchema {
        let metadata = field.type == .uuid ? ["ARROW:extension:name": "arrow.uuid"] : [:]
        let values =
            field.type == .dictionary
            ? unsafe ArrowSchemaExport.schema(ArrowType.text.format, "", [:], flags: nullable, [], nil) : nil
        return unsafe ArrowSchemaExport.schema(field.type.format, field.name, metadata, flags: nullable, [], values)
    }

    private static var nullable: Int64 { Int64(ARROW_FLAG_NULLABLE) }
}
