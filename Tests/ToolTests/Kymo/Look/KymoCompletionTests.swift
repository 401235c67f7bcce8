// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("T-9 completion in bash")
struct KymoCompletionTests {
    /// Completes the last word of a line as bash does.
    private static let driver = """
        source "$1"; shift
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}; COMPREPLY=()
        _kymo kymo "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\\n' "${COMPREPLY[@]}"
        """

    private func completed(_ words: [String], script: String) throws -> [String] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["bash", "-c", Self.driver, "driver", script, "kymo"] + words
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        process.environment = ProcessInfo.processInfo.environment.merging([
            "KYMO_STORE": SampleStore.path, "PATH": "\(Tool.directory.path):\(path)", "LC_ALL": "C.UTF-8",
        ]) { $1 }
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).replacingOccurrences(of: "\u{A0}", with: " ")
            .split(separator: "\n").map { String($0) }
    }

    @Test(
        "the script takes words in any case, parts of names, and names with blanks",
        arguments: [
            (["stats", "steps", "--tz", "europe/zu"], ["Europe/Zurich"]),
            (["stats", "steps", "--tz", "zuric"], ["Europe/Zurich"]),
            (["stats", "steps", "--source", "iph"], ["Alex\u{2019}s\\ iPhone"]),
            (["stats", "steps", "--source", "Alex\u{2019}s\\ iP"], ["Alex\u{2019}s\\ iPhone"]),
            (["stats", "steps", "--source", "\"iph"], ["Alex\u{2019}s iPhone"]),
            (["stats", "STEPC"], ["stepCount"]), (["add", "sleep", "asleepr"], ["asleepREM"]),
        ])
    func words(_ words: [String], _ wanted: [String]) throws {
        #expect(SampleStore.imported?.code == 0)
        let directory = try TemporaryDirectory()
        let script = directory.file("kymo.bash")
        let text = try Tool.kymo.run(["--generate-completion-script", "bash"]).output
        #expect(text.hasPrefix("#!/bin/bash\n") && text.contains("__kymo_add_found"))
        try text.write(toFile: script, atomically: true, encoding: .utf8)
        #expect(try completed(words, script: script) == wanted)
    }
}
