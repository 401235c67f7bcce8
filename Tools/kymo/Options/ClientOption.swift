// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KymographHealth

/// The program whose view of the store is shown.
struct ClientOption: ParsableArguments {
    @Option(
        name: .customLong("client"),
        help: ArgumentHelp("Show what this program may read; \"kymo clients\" lists programs.", valueName: "id"))
    var client: String?

    func validate() throws {
        if client?.isEmpty == true { throw ValidationError("--client is empty; give a bundle identifier.") }
    }

    /// Returns the store as the program sees it; the whole store if no program is given.
    func view(of store: HealthStore) -> HealthStore { client.map { store.acting(for: $0) } ?? store }
}
