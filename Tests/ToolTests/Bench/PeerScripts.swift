// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// Stand-ins for the scripts of the peers, which need no library and no network.
struct PeerScripts {
    let directory: TemporaryDirectory

    /// Scripts by name; `worker.py` is there in any case, as it is what a directory of scripts is known by.
    init(_ scripts: [String: String]) throws {
        directory = try TemporaryDirectory()
        let all = ["worker.py": "", "install.py": "", "bin/python": "#!/bin/sh\nexec python3 \"$@\"\n"]
        let bin = URL(fileURLWithPath: directory.file("bin"))
        try FileManager.default.createDirectory(at: bin, withIntermediateDirectories: true)
        for (name, text) in all.merging(scripts, uniquingKeysWith: { $1 }) {
            try Data(text.utf8).write(to: URL(fileURLWithPath: directory.file(name)))
        }
        let python = directory.file("bin/python")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: python)
    }

    /// The scripts of the repository.
    static let real = repository.appendingPathComponent("Benchmarks/peers").path

    /// Options that name these scripts, and an environment whose interpreter is the system's.
    var options: [String] { ["--scripts", directory.path, "--venv", directory.path] }

    /// A worker that is the repository's.
    static let realWorker = """
        import runpy, sys
        sys.path.insert(0, '\(real)')
        runpy.run_path('\(real)/worker.py', run_name='__main__')
        """

    /// An installation that fails.
    static let failingInstall = """
        import sys
        print('WARNING: Retrying', 'pip could not install it:', 'no route to the registry', sep='\\n', file=sys.stderr)
        sys.exit(1)
        """
}
