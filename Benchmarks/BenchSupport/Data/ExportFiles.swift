// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation

/// An export of Apple Health, the same as a zip archive, and what its generator says of it.
package struct ExportFiles: Sendable {
    package let xml: String
    /// Nil where there is no Python to make it.
    package let zip: String?
    package let manifest: Manifest?

    /// Counts of records, as `gen_export_xml.py --manifest` writes them.
    package struct Manifest: Decodable, Sendable {
        package let records: Int
        package let count: [String: Int]

        static func read(_ path: String) throws -> Manifest {
            try BenchJSON.read(
                path, "manifest of gen_export_xml.py", hint: "name the right one with --manifest, or move it away")
        }
    }

    /// Makes an export with the generator.
    package static func generated(records: Int, work: String, generator: String?) throws -> ExportFiles {
        guard let python = ChildProcess.find("python3") else {
            throw BenchError("there is no python3 to make an export; name one with --export")
        }
        guard let script = generator ?? self.generator() else {
            throw BenchError("gen_export_xml.py was not found; name it with --generator, or an export with --export")
        }
        let xml = "\(work)/export.xml"
        let manifest = "\(work)/export.json"
        let made = try ChildProcess(
            python, [script, "--records", "\(records)", "-o", xml, "--manifest", manifest], work: work)
        try made.require("making an export of \(records) records")
        return ExportFiles(xml: xml, zip: try archive(xml, work, python), manifest: try Manifest.read(manifest))
    }

    /// An export that is there; its manifest is expected beside it, as `.json`.
    package static func existing(_ xml: String, manifest: String?, work: String) throws -> ExportFiles {
        do {
            guard try RealDisk().size(of: xml) > 0 else { throw BenchError("\(xml) is empty; name an export.xml") }
        } catch let error as DiskError {
            throw BenchError("\(xml) is no export (\(error.message)); name an export.xml")
        }
        if xml.hasSuffix(".zip") {
            throw BenchError("\(xml) is an archive; name the export.xml in it: an archive is made of that, too")
        }
        let beside = (xml.hasSuffix(".xml") ? String(xml.dropLast(4)) : xml) + ".json"
        let path = try manifest ?? (RealDisk().exists(beside) ? beside : nil)
        let zip = try ChildProcess.find("python3").map { try archive(xml, work, $0) }
        return ExportFiles(xml: xml, zip: zip, manifest: try path.map(Manifest.read))
    }

    /// `apple_health_export/export.xml` in an archive, as the Health app shares it.
    private static func archive(_ xml: String, _ work: String, _ python: String) throws -> String {
        let folder = "\(work)/apple_health_export"
        BenchFiles.removeTree(folder)
        try BenchFiles.makeDirectory(folder)
        let whole = URL(fileURLWithPath: xml).path
        try FileManager.default.createSymbolicLink(atPath: folder + "/export.xml", withDestinationPath: whole)
        let made = try ChildProcess(
            python, ["-m", "zipfile", "-c", "export.zip", "apple_health_export/"], work: work, directory: work)
        try made.require("making an archive of \(xml)")
        return "\(work)/export.zip"
    }

    /// The generator of this checkout: seen from the program, or from the current directory.
    private static func generator() -> String? {
        let name = "Benchmarks/data/gen_export_xml.py"
        for start in [FileManager.default.currentDirectoryPath, ChildProcess.ownPath] {
            var folder = URL(fileURLWithPath: start).standardizedFileURL
            while folder.path != "/" {
                let path = folder.appendingPathComponent(name).path
                if FileManager.default.fileExists(atPath: path) { return path }
                folder.deleteLastPathComponent()
            }
        }
        return nil
    }
}
