// SPDX-License-Identifier: Apache-2.0

// chunk-dump: shows the contents of segment files and stores byte by byte. Never writes; reads past damage.

import ArgumentParser
import FileSystem

@main
struct ChunkDump: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "chunk-dump",
        abstract: "Show the contents of a segment file or a store, down to single bytes.",
        discussion: """
            EXAMPLES
              chunk-dump STORE                        files and contents of a store
              chunk-dump STORE/segments/X.kseg        sections, bytes by column
              chunk-dump X.kseg --level 2             every block with its columns
              chunk-dump X.kseg --level 3 --block 4   every byte of one block
              chunk-dump X.kseg --level 4 --series 7  the samples of one series
              chunk-dump X.kseg --verify              recompute all checksums
              chunk-dump STORE --key-file health.key  an encrypted store

            Level 3 also has the reasons for the encoding of each column; --verify also recomputes summaries and index.

            chunk-dump never writes and needs no engine. It reads the intact parts of damaged files. Without its key, \
            an encrypted file shows sizes and checksums.

            EXIT STATUS
              0 sound, 1 unreadable, not a segment or wrong key, 3 corrupt or forged, 64 wrong usage
            """,
        version: "0.1.0")

    @Argument(help: "A segment file (.kseg) or a store directory.")
    var path: String

    @Option(help: "Level of detail: 0 store, 1 file, 2 blocks, 3 bytes, 4 values. Default: 0 (directory) or 1 (file).")
    var level: Int?

    @Flag(help: "Write JSON; at level 4, one object per line.")
    var json = false

    @Flag(help: "Recompute and compare checksums, summaries and index.")
    var verify = false

    @Option(help: "Show only this block, by its number at level 2.")
    var block: Int?

    @Option(help: "Show only blocks of this series.")
    var series: UInt64?

    @Option(
        name: .customLong("key-file"),
        help: ArgumentHelp(
            "File with the key of an encrypted store. Default: KYMO_KEY_FILE, KYMO_KEY_COMMAND, else none.",
            valueName: "file"))
    var keyFile: String?

    func validate() throws {
        if keyFile?.isEmpty == true { throw ValidationError("--key-file is empty; give a file.") }
        if let level, !(0...4).contains(level) { throw ValidationError("--level must be 0, 1, 2, 3 or 4.") }
        if let block, block < 0 { throw ValidationError("--block must be a block number from level 2.") }
    }

    static func main() {
        Terminal.reportFailedWrites()
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch {
            if error is ExitCode { exit(withError: error) }
            let code = exitCode(for: error)
            guard code == .success else {
                let text = oneLine(message(for: error))
                complain("\(text)\(text.hasSuffix("?") ? " See" : "; see") \"chunk-dump --help\"")
                exit(withError: code)
            }
            // Help text; the parser would write it without checking for write errors.
            do throws(DiskError) { try OutputWriter.write(text: fullMessage(for: error)) } catch {
                complain(error.description)
                exit(withError: ExitCode(1))
            }
            exit(withError: ExitCode.success)
        }
    }

    func run() throws {
        let output = Output()
        let isSound: Bool
        do throws(DumpFailure) {
            isSound = try dump(output)
            try output.finish()
        } catch {
            output.abandon()
            ChunkDump.complain(error.message)
            throw ExitCode(1)
        }
        if !isSound { throw ExitCode(3) }
    }

    /// Dumps the path; returns true if nothing is corrupt.
    private func dump(_ output: Output) throws(DumpFailure) -> Bool {
        let kind: EntryKind?
        do throws(DiskError) {
            kind = try RealDisk().kind(of: path)
        } catch { throw DumpFailure(message: "\(error)") }
        guard let kind else { throw DumpFailure(message: "\(path): no such file or directory") }
        let selection = Selection(block: block, series: series)
        let keys = try DumpKeys(of: path, isDirectory: kind == .directory, file: keyFile)
        switch kind {
        case .directory:
            let store = try StoreImage(path: path, keys)
            if level ?? 0 == 0 { return try store.dump(json: json, verify: verify, output) }
            return try store.dumpSegments(level ?? 1, json: json, verify: verify, selection, output)
        default:
            if level == 0 { return try StoreImage(file: path, keys).dump(json: json, verify: verify, output) }
            let image = try SegmentImage(path: path, keys: keys, isAlone: true)
            return try image.dump(level ?? 1, json: json, verify: verify, selection, output)
        }
    }

    /// Returns the parser's message on one line, without the last full stop.
    private static func oneLine(_ message: String) -> String {
        let text = message.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: " ")
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }

    /// Writes a message to standard error.
    static func complain(_ message: String) {
        let errors = OutputWriter(.error, capacity: 0)
        try? errors.write("chunk-dump: \(TerminalText.printable(message))\n")
        try? errors.flush()
    }
}
