// SPDX-License-Identifier: Apache-2.0

import ChunkFormat

// Levels 1 to 4 of one file, and its problems.
extension SegmentImage {
    /// Dumps one level; returns true if nothing is corrupt.
    func dump(
        _ level: Int, json: Bool, verify: Bool, _ selection: Selection, _ output: Output
    ) throws(DumpFailure) -> Bool {
        if let block = selection.block, !blocks.contains(where: { $0.number == block }) {
            throw DumpFailure(message: "\(path): no block \(block); there are \(blocks.count), numbered from 0")
        }
        try requireOpen(selection)
        let findings = verify ? Verification(self).findings : []
        let wanted = blocks.filter { selection.contains($0) }
        if json {
            try dumpJSON(level, wanted, verify ? findings : nil, output)
        } else {
            switch level {
            case 1: try fileText(output)
            case 2:
                try blocksText(wanted, output)
                if isClosed, selection.block == nil { try otherUnitsText(output) }
            case 3: for block in wanted { try anatomyText(block, output) }
            default: try valuesText(wanted, output)
            }
            if level > 1 { try closedText(output) }
            try closing(findings, verify, output)
        }
        return problems.isEmpty && findings.isEmpty
    }

    private func dumpJSON(
        _ level: Int, _ wanted: [BlockInfo], _ findings: [String]?, _ output: Output
    ) throws(DumpFailure) {
        var end = encryptionJSON + [("problems", .array(problems.map { .string($0) }))]
        if let findings { end.append(("verification", .array(findings.map { .string($0) }))) }
        if level == 4 {
            try valuesJSON(wanted, output)
            return try output.put(.object(end), indented: false)
        }
        var fields: [(String, JSON)] = [("path", .string(path)), ("level", .int(level))]
        switch level {
        case 1:
            fields += fileJSON()
            if isAlone, let keys = keys?.json { fields.append(("keys", keys)) }
        case 2: fields.append(("blocks", .array(wanted.map { blockJSON($0) })))
        default: fields.append(("blocks", .array(wanted.map { anatomyJSON($0) })))
        }
        try output.put(.object(fields + end))
    }

    private func closing(_ findings: [String], _ verify: Bool, _ output: Output) throws(DumpFailure) {
        if !problems.isEmpty {
            try output.alarm("problems:")
            for problem in problems { try output.line("  \(problem)") }
        }
        guard verify else { return }
        if isClosed { return try output.line("verification: only checksums, without the key") }
        try output.line(findings.isEmpty ? "verification: no differences" : "verification:")
        for finding in findings { try output.line("  \(finding)") }
    }
}
