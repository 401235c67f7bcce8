// SPDX-License-Identifier: Apache-2.0

package import Cipher

/// The keys of the new store that a repair makes.
package enum RepairKeys {
    /// Those of the old store.
    case same
    /// None: the new store is not encrypted.
    case none
    /// New ones, with a slot for the secret of a provider.
    case new(any KeyProvider)
    /// The slots of the old store, and one new generation for all data.
    case rotated

    /// Writes the keys into the directory of the new store, durably, and sets them in its options.
    func write(_ layout: StoreLayout, _ options: inout StoreOptions, store: [UInt8]) throws(StoreError) {
        switch self {
        case .same:
            try options.keys?.write(into: layout.root, options.disk)
            options.keys = try options.keys?.copy(for: layout, options)
        case .none:
            (options.keys, options.key) = (nil, nil)
        case .rotated:
            guard let old = options.keys else {
                throw StoreError(.notEncrypted, "the store is not encrypted", path: layout.root)
            }
            let (disk, day) = (options.disk, StoreKeys.today(options))
            let ring = try inCipher { () throws(CipherError) in
                let ring = try old.ring.withNewGenerationAlone(day: day)
                try KeysFiles(disk, layout.root).copy(ring.image)
                return ring
            }
            options.keys = try StoreKeys(ring, layout, options)
        case .new(let provider):
            (options.key, options.encryptsNewStores) = (provider, true)
            options.keys = try StoreKeys.create(layout, options, store: store)
        }
    }
}
