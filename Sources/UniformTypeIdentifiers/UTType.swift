// SPDX-License-Identifier: Apache-2.0

/// A type of file, such as PNG image, under the names of Apple's Uniform Type Identifiers.
///
/// Only the types of ``UTType/declared`` are known: images, documents and media that health data has as attachments. A
/// type with any other identifier conforms only to itself. Two types are equal if their identifiers are equal.
public struct UTType: Hashable, Sendable {
    /// The identifier: `public.png`.
    public let identifier: String

    /// Creates the type with an identifier; nil if the identifier is not known.
    public init?(_ identifier: String) {
        let wanted = identifier.lowercased()
        guard let type = TypeTable.rows.first(where: { $0.identifier.lowercased() == wanted }) else { return nil }
        self.init(known: type.identifier)
    }

    /// Creates the type of the files with an extension, such as `png`; nil if no known type has the extension, or if
    /// the type does not conform to `supertype`.
    public init?(filenameExtension: String, conformingTo supertype: UTType = .data) {
        let wanted = filenameExtension.lowercased()
        guard let row = TypeTable.rows.first(where: { $0.extensions.contains(wanted) }) else { return nil }
        self.init(known: row.identifier)
        if !conforms(to: supertype) { return nil }
    }

    /// Creates the type of a MIME type, such as `image/png`; nil if no known type has it, or if the type does not
    /// conform to `supertype`. Parameters (`; charset=utf-8`) are ignored.
    public init?(mimeType: String, conformingTo supertype: UTType = .data) {
        let wanted = mimeType.split(separator: ";").first?.filter { $0 != " " }.lowercased() ?? ""
        guard let row = TypeTable.rows.first(where: { $0.mimeTypes.contains(wanted) }) else { return nil }
        self.init(known: row.identifier)
        if !conforms(to: supertype) { return nil }
    }

    /// Creates the type of an identifier, known or not.
    package init(known identifier: String) { self.identifier = identifier }

    /// The usual extension of files of the type; nil for types without files of their own, such as `image`.
    public var preferredFilenameExtension: String? { row?.extensions.first }

    /// The usual MIME type; nil for types without one.
    public var preferredMIMEType: String? { row?.mimeTypes.first }

    /// Returns whether the type is another type or a kind of another type: PNG conforms to image, image to data.
    public func conforms(to type: UTType) -> Bool { self == type || isSubtype(of: type) }

    /// Returns whether the type is a kind of another type, and not the same type.
    public func isSubtype(of type: UTType) -> Bool {
        guard let parents = row?.parents else { return false }
        return parents.contains { $0 == type.identifier || UTType(known: $0).isSubtype(of: type) }
    }

    /// Returns whether another type is a kind of this type, and not the same type.
    public func isSupertype(of type: UTType) -> Bool { type.isSubtype(of: self) }

    /// All types that the type is a kind of.
    public var supertypes: Set<UTType> { Set(Self.declared.filter { isSubtype(of: $0) }) }

    /// All known types. Apple's module has no such list.
    public static var declared: [UTType] { TypeTable.rows.map { UTType(known: $0.identifier) } }

    private var row: TypeTable.Row? { TypeTable.rows.first { $0.identifier == identifier } }
}

extension UTType: CustomStringConvertible {
    /// The identifier.
    public var description: String { identifier }
}

extension UTType: Codable {
    /// Decodes the identifier. An unknown identifier is kept: its type conforms only to itself.
    public init(from decoder: any Decoder) throws {
        identifier = try decoder.singleValueContainer().decode(String.self)
    }

    /// Encodes the identifier.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(identifier)
    }
}
