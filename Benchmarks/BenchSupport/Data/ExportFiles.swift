// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Foundation

/// An Apple Health export, the same export as a zip archive, and its generator's manifest.
package struct ExportFiles: Sendable {
    package let xml: String
    /// The path of the archive; nil if there is no Python to create it.
    package let zip: String?
    package let manifest: Manifest?

    /// The counts of records, as written by `gen_export_xml.py --manifest`.
    package struct Manifest: Decodable, Sendable {
        package let records: Int
        package let count: [String: Int]

        static func read(_ path: String) throws -> Manifest {
            try BenchJSON.read(
                path, "manifest of gen_export_xml.py", hint: "give the right one with --manifest or move this file")
        }
    }

    /// Creates an export with the generator.
    package static func generated(records: Int, work: String, generator: String?) throws -> ExportFiles {
        guard let python = ChildProcess.find("python3") else {
            throw BenchError("generating an export needs python3; install it, or give an export with --export")
        }
        guard let script = generator ?? self.generator() else {
            throw BenchError("gen_export_xml.py not found; give it with --generator, or an export with --export")
        }
        let xml = "\(work)/export.xml"
        let manifest = "\(work)/export.json"
        let made = try ChildProcess(
            python, [script, "--records", "\(records)", "-o", xml, "--manifest", manifest], work: work)
        try made.require("generating an export of \(records) records")
        return ExportFiles(xml: xml, zip: try archive(xml, work, python), manifest: try Manifest.read(manifest))
    }

    /// Returns an existing export; its manifest is expected beside it, as `.json`.
    package static func existing(_ xml: String, manifest: String?, work: String) throws -> ExportFiles {
        do {
            guard try RealDisk().size(of: xml) > 0 else { throw BenchError("\(xml) is empty; give an export.xml") }
        } catch let error as DiskError {
            throw BenchError("\(xml) is not an export (\(error.message)); give an export.xml")
        }
        if xml.hasSuffix(".zip") {
            throw BenchError("\(xml) is an archive; give the export.xml in it: an archive is created from it, too")
        }
        let beside = (xml.hasSuffix(".xml") ? String(xml.dropLast(4)) : xml) + ".json"
        let path = try manifest ?? (RealDisk().exists(beside) ? beside : nil)
        let zip = try ChildProcess.find("python3").map { try archive(xml, work, $0) }
        return ExportFiles(xml: xml, zip: zip, manifest: try path.map(Manifest.read))
    }

    /// Creates an archive with `apple_health_export/export.xml`, as the Health app does.
    private static func archive(_ xml: String, _ work: String, _ python: String) throws -> String {
        let folder = "\(work)/apple_health_export"
        BenchFiles.removeTree(folder)
        try BenchFiles.makeDirectory(folder)
        let whole = URL(fileURLWithPath: xml).path
        try FileManager.default.createSymbolicLink(atPath: folder + "/export.xml", withDestinationPath: whole)
        let made = try ChildProcess(
            python, ["-m", "zipfile", "-c", "export.zip", "apple_health_export/"], work: work, directory: work)
        try made.require("creating an archive of \(xml)")
        return "\(work)/export.zip"
    }

    /// Returns the generator in this checkout, found from the program's path or the current directory; nil if there is
    /// none.
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
