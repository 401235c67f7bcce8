// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Foundation

/// Small files of real and generated measurements, one sample per row; `Golden/README.md` lists their sources.
enum SampleFiles {
    static let names = [
        "clock-pulse", "ecg-mitbih-100", "export-distance", "export-energy", "export-heart", "export-sleep",
        "export-stand",
        "export-steps", "export-weight", "motion-seglearn", "motion-seglearn-x1",
        "motion-seglearn-x2", "ppg-heartpy-3", "ride-elevation", "ride-heart",
        "ride-north", "ride-temperature",
    ]

    /// The folder of golden files next to this source.
    static let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Golden")

    /// Returns one file as a block. `perSecond` divides its values by 60, as for a store of counts per second.
    static func block(_ name: String, perSecond: Bool = false) throws -> BlockBuffer {
        let file = golden.appendingPathComponent("samples/\(name).csv")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        let titles = lines[0].split(separator: ",").map { $0.split(separator: "_") }
        let block = BlockBuffer()
        var created: [Int64] = []
        var version: [Int64] = []
        for line in lines.dropFirst().prefix(BlockBuffer.capacity) {
            for (title, cell) in zip(titles, line.split(separator: ",")) {
                let scale: Int64 =
                    switch title.last {
                    case "s": 1_000_000_000
                    case "ms": 1_000_000
                    default: 1
                    }
                switch title[0] {
                case "start": block.starts[block.count] = (Int64(cell) ?? 0) * scale
                case "end": block.ends[block.count] = (Int64(cell) ?? 0) * scale
                case "created": created.append((Int64(cell) ?? 0) * scale)
                case "version": version.append(Int64(cell) ?? 0)
                default: block.values[block.count] = (Double(cell) ?? 0) / (perSecond ? 60 : 1)
                }
            }
            block.count += 1
        }
        block.hasEnds = titles.contains { $0[0] == "end" }
        if !created.isEmpty { block.created = .values(created) }
        if !version.isEmpty { block.provenance = .values(version) }
        // Commits as a recorder makes them: every half minute, with all samples since the previous commit.
        let half: Int64 = 30_000_000_000
        let saves = block.starts.prefix(block.count).map { $0 / half }
        var born: Int64 = 100
        var commits: [Int64] = []
        for (index, save) in saves.enumerated() {
            if index > 0, save != saves[index - 1] { born += 3 }
            commits.append(born)
        }
        block.born = .values(commits)
        return block
    }
}
