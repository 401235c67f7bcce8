// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Kymograph

struct KeyExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Copy the encrypted keys of the store into a file for a safe place.",
        discussion: """
            If KEYS and KEYS.2 of the store are both lost, \"kymo key restore\" puts the copy back. The copy opens the \
            store only with a secret of one of its slots.
            """)

    @Argument(help: ArgumentHelp("A file that does not exist.", valueName: "file"))
    var file: String

    @OptionGroup var store: StoreOption

    func run() throws {
        try perform { _ in
            try TimeSeriesStore.exportKeys(of: store.resolved(), to: file)
            return .done
        }
    }
}
