// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import UniformTypeIdentifiers

@Suite("X-5 types of files")
struct UTTypeTests {
    @Test("identifiers, extensions and MIME types name a type, in any case")
    func names() throws {
        #expect(UTType("public.png") == .png && UTType("PUBLIC.PNG") == .png && UTType("public.unheard") == nil)
        #expect(UTType(filenameExtension: "JPG") == .jpeg && UTType(filenameExtension: "") == nil)
        #expect(
            UTType(mimeType: "image/jpeg") == .jpeg
                && UTType(mimeType: "text/csv; charset=utf-8") == .commaSeparatedText)
        #expect(UTType(filenameExtension: "png", conformingTo: .pdf) == nil && UTType(mimeType: ";") == nil)
        #expect(UTType(mimeType: "video/mp4", conformingTo: .movie) == .mpeg4Movie)
        #expect(UTType.jpeg.preferredFilenameExtension == "jpeg" && UTType.jpeg.preferredMIMEType == "image/jpeg")
        #expect(UTType.image.preferredFilenameExtension == nil && "\(UTType.webP)" == "org.webmproject.webp")
        for type in UTType.declared {
            #expect(UTType(type.identifier) == type)
            if let ending = type.preferredFilenameExtension {
                #expect(UTType(filenameExtension: ending, conformingTo: type) == type)
            }
            if let mime = type.preferredMIMEType { #expect(UTType(mimeType: mime) == type) }
        }
    }

    @Test("every type conforms to itself and its supertypes")
    func conformance() {
        #expect(UTType.png.conforms(to: .image) && UTType.png.conforms(to: .png) && UTType.png.conforms(to: .data))
        #expect(!UTType.image.conforms(to: .png) && !UTType.pdf.conforms(to: .image) && !UTType.png.isSubtype(of: .png))
        #expect(UTType.image.isSupertype(of: .heic) && UTType.gif.supertypes.contains(.content))
        #expect(UTType.quickTimeMovie.conforms(to: .movie) && !UTType.livePhoto.conforms(to: .data))
        for type in [UTType.item, .heif, .tiff, .bmp, .text, .plainText, .json, .xml, .zip] {
            #expect(UTType(type.identifier) == type)
        }
    }

    @Test("types are coded as their identifier, and unknown identifiers stay")
    func coding() throws {
        let data = try JSONEncoder().encode([UTType.png])
        #expect(String(decoding: data, as: UTF8.self) == #"["public.png"]"#)
        let other = try JSONDecoder().decode([UTType].self, from: Data(#"["com.example.x"]"#.utf8))
        #expect(other[0].identifier == "com.example.x" && other[0].conforms(to: other[0]))
        #expect(!other[0].conforms(to: .data) && other[0].preferredMIMEType == nil && other[0].supertypes.isEmpty)
    }
}
