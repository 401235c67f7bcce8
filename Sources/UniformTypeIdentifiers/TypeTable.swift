// SPDX-License-Identifier: Apache-2.0

/// The known types, with their extensions, MIME types and supertypes. The first of each list is the usual one.
enum TypeTable {
    struct Row {
        let identifier: String
        let extensions: [String]
        let mimeTypes: [String]
        let parents: [String]

        init(_ identifier: String, _ extensions: [String], _ mimeTypes: [String], _ parents: [String]) {
            self.identifier = identifier
            self.extensions = extensions
            self.mimeTypes = mimeTypes
            self.parents = parents
        }
    }

    static let rows: [Row] = [
        Row("public.item", [], [], []),
        Row("public.content", [], [], []),
        Row("public.data", [], ["application/octet-stream"], ["public.item"]),
        Row("public.composite-content", [], [], ["public.content"]),
        Row("public.image", [], [], ["public.data", "public.content"]),
        Row("public.png", ["png"], ["image/png"], ["public.image"]),
        Row("public.jpeg", ["jpeg", "jpg", "jpe"], ["image/jpeg", "image/jpg"], ["public.image"]),
        Row("public.heif", ["heif", "hif"], ["image/heif"], ["public.image"]),
        Row("public.heic", ["heic"], ["image/heic"], ["public.image"]),
        Row("public.tiff", ["tiff", "tif"], ["image/tiff"], ["public.image"]),
        Row("com.microsoft.bmp", ["bmp", "dib"], ["image/bmp"], ["public.image"]),
        Row("org.webmproject.webp", ["webp"], ["image/webp"], ["public.image"]),
        Row("com.compuserve.gif", ["gif"], ["image/gif"], ["public.image"]),
        Row("com.adobe.pdf", ["pdf"], ["application/pdf"], ["public.data", "public.composite-content"]),
        Row("public.audiovisual-content", [], [], ["public.data", "public.content"]),
        Row("public.movie", [], [], ["public.audiovisual-content"]),
        Row("com.apple.quicktime-movie", ["mov", "qt"], ["video/quicktime"], ["public.movie"]),
        Row("public.mpeg-4", ["mp4", "mpg4"], ["video/mp4"], ["public.movie"]),
        Row("com.apple.live-photo", [], [], ["public.composite-content"]),
        Row("public.text", [], [], ["public.data", "public.content"]),
        Row("public.plain-text", ["txt", "text"], ["text/plain"], ["public.text"]),
        Row("public.json", ["json"], ["application/json"], ["public.text"]),
        Row("public.xml", ["xml"], ["application/xml", "text/xml"], ["public.text"]),
        Row("public.comma-separated-values-text", ["csv"], ["text/csv"], ["public.text"]),
        Row("public.zip-archive", ["zip"], ["application/zip"], ["public.data"]),
    ]
}

extension UTType {
    /// Everything that can be named: files, folders.
    public static var item: UTType { UTType(known: "public.item") }
    /// Anything with content to look at or to hear.
    public static var content: UTType { UTType(known: "public.content") }
    /// Bytes.
    public static var data: UTType { UTType(known: "public.data") }
    /// Images of all formats.
    public static var image: UTType { UTType(known: "public.image") }
    /// PNG images.
    public static var png: UTType { UTType(known: "public.png") }
    /// JPEG images.
    public static var jpeg: UTType { UTType(known: "public.jpeg") }
    /// High-efficiency images.
    public static var heif: UTType { UTType(known: "public.heif") }
    /// High-efficiency images with the HEVC codec.
    public static var heic: UTType { UTType(known: "public.heic") }
    /// TIFF images.
    public static var tiff: UTType { UTType(known: "public.tiff") }
    /// Windows bitmaps.
    public static var bmp: UTType { UTType(known: "com.microsoft.bmp") }
    /// WebP images.
    public static var webP: UTType { UTType(known: "org.webmproject.webp") }
    /// GIF images, also animated ones.
    public static var gif: UTType { UTType(known: "com.compuserve.gif") }
    /// PDF documents.
    public static var pdf: UTType { UTType(known: "com.adobe.pdf") }
    /// Movies with pictures, of all formats.
    public static var movie: UTType { UTType(known: "public.movie") }
    /// QuickTime movies.
    public static var quickTimeMovie: UTType { UTType(known: "com.apple.quicktime-movie") }
    /// MPEG-4 movies.
    public static var mpeg4Movie: UTType { UTType(known: "public.mpeg-4") }
    /// Live Photos.
    public static var livePhoto: UTType { UTType(known: "com.apple.live-photo") }
    /// Text of all formats.
    public static var text: UTType { UTType(known: "public.text") }
    /// Text without formats.
    public static var plainText: UTType { UTType(known: "public.plain-text") }
    /// JSON.
    public static var json: UTType { UTType(known: "public.json") }
    /// XML.
    public static var xml: UTType { UTType(known: "public.xml") }
    /// Comma-separated values.
    public static var commaSeparatedText: UTType { UTType(known: "public.comma-separated-values-text") }
    /// ZIP archives.
    public static var zip: UTType { UTType(known: "public.zip-archive") }
}
