// SPDX-License-Identifier: Apache-2.0

import FileSystem

/// A file in the folder of an unpacked export.
struct FolderFile: ExportFile {
    let name: String
    let lastName: Substring
    let fileType: String
    let size: UInt64
    var archiveOffset: UInt64? { nil }

    init(name: String, size: UInt64) {
        self.name = name
        self.size = size
        (lastName, fileType) = ExportFileName.parts(of: name)
    }
}

/// The folder of an unpacked archive, or the folder of an XML.
///
/// Symbolic links in the folder are not followed, and only regular files are opened.
struct ExportFolder: ExportFiles {
    let path: String
    let disk: any Disk
    let limits: ExportLimits
    var noun: String { "a folder" }

    /// The folders that the Health app puts beside the XML.
    static let documentFolders: Set = ["workout-routes", "electrocardiograms", "clinical-records", "attachments"]

    /// The files and folders directly in one folder, with their names relative to `path`.
    struct Listing {
        var files: [FolderFile] = []
        var folders: [String] = []
    }

    /// Lists one folder; reports links, special files and unreadable files.
    ///
    /// - Parameter folder: a name relative to `path`; empty for `path` itself.
    func list(_ folder: String, _ issues: inout IssueLog) throws(ExportError) -> Listing {
        let names: [String]
        do {
            names = try disk.list(place(folder))
        } catch {
            if folder.isEmpty { throw .unreadable(path: error.path, what: error.message) }
            issues.add(.damagedFile, "\(ExportFileName.shown(folder)) cannot be read: \(error.message)")
            return Listing()
        }
        var listing = Listing()
        for last in names {
            let name = folder.isEmpty ? last : folder + "/" + last
            do {
                try add(name, to: &listing, &issues)
            } catch {
                issues.add(.damagedFile, "\(ExportFileName.shown(name)) cannot be read: \(error.message)")
            }
        }
        return listing
    }

    private func add(_ name: String, to listing: inout Listing, _ issues: inout IssueLog) throws(DiskError) {
        let place = place(name)
        switch try disk.kind(of: place) {
        case .directory: listing.folders.append(name)
        case .file:
            if name.utf8.count > 1_024 || name.utf8.contains(where: { $0 < 0x20 }) {
                issues.add(.unsafeName, "a file with an unsafe name: \(ExportFileName.shown(name))")
            } else {
                let file = FolderFile(name: name, size: try disk.size(of: place))
                if !file.isClutter { listing.files.append(file) }
            }
        case .symbolicLink: issues.add(.unsafeName, "a symbolic link: \(ExportFileName.shown(name))")
        case .other: issues.add(.unsafeName, "not a regular file: \(ExportFileName.shown(name))")
        case nil: break
        }
    }

    /// Returns all files in some folders and the folders in them. Of equal names, only the first is returned.
    ///
    /// - Throws: `.refused` for too many files.
    func files(below folders: [String], _ issues: inout IssueLog) throws(ExportError) -> [FolderFile] {
        var found: [FolderFile] = []
        var seen: Set<String> = []
        var pending = Array(folders.reversed())
        var count = 0
        while let folder = pending.popLast() {
            let listing = try list(folder, &issues)
            for file in listing.files {
                if seen.insert(file.name).inserted {
                    found.append(file)
                } else {
                    issues.add(.damagedFile, "a second file with the name \(ExportFileName.shown(file.name))")
                }
            }
            pending += listing.folders.filter { !$0.hasSuffix("__MACOSX") }.reversed()
            count += listing.files.count + listing.folders.count
            guard count <= limits.entries else {
                throw .refused(what: "a folder of more than \(limits.entries) files", line: 0, offset: 0)
            }
        }
        return found
    }

    /// Returns the files of `documentFolders`, which need not exist. Their names may be in any case.
    func documents(_ issues: inout IssueLog) throws(ExportError) -> [FolderFile] {
        let names = (try? disk.list(path)) ?? []
        let wanted = names.filter { Self.documentFolders.contains($0.lowercased()) }
        var folders: [String] = []
        for name in wanted {
            switch try? disk.kind(of: place(name)) {
            case .directory: folders.append(name)
            case .symbolicLink: issues.add(.unsafeName, "a symbolic link: \(name)")
            default: break
            }
        }
        return try files(below: folders, &issues)
    }

    func source(of file: FolderFile, total: UInt64?) throws(ExportError) -> any ByteSource {
        do {
            let open = try disk.open(place(file.name), writable: false)
            return FileSource(open, 0..<min(file.size, try open.size()), total: total ?? file.size)
        } catch {
            throw .unreadable(path: error.path, what: error.message)
        }
    }

    func damage(_ error: ExportError) -> (what: String, offset: UInt64?)? {
        guard case .unreadable(let path, let what) = error else { return nil }
        return ("\(ExportFileName.shown(String(path.dropFirst(self.path.count + 1)))) cannot be read: \(what)", nil)
    }

    private func place(_ name: String) -> String { name.isEmpty ? path : path + "/" + name }
}

extension ExportFolder {
    /// Returns the folder that contains a file.
    func folder(of file: FolderFile) -> ExportFolder {
        let name = String(file.name.dropLast(file.lastName.count + 1))
        return ExportFolder(path: place(name), disk: disk, limits: limits)
    }

    /// Returns whether a path leads to a folder, also through a link.
    static func isFolder(_ path: String, on disk: any Disk) throws(DiskError) -> Bool {
        switch try disk.kind(of: path) {
        case .directory: true
        case .symbolicLink: try disk.kind(of: path + "/.") == .directory
        default: false
        }
    }

    /// Returns the path of the folder that contains a file.
    static func path(of file: String) -> String {
        guard let slash = file.utf8.lastIndex(of: 0x2F) else { return "." }
        return slash == file.startIndex ? "/" : String(file[..<slash])
    }
}
