package io.github.rpcrdma4j.interop.linux;

import io.github.rpcrdma4j.interop.matrix.Cell;
import io.github.rpcrdma4j.interop.matrix.RunDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The emulated machine of a guest.
 *
 * @param emulator the emulator program
 * @param image the directory with the kernel and its initial RAM disk
 * @param shared the directory that the guest sees as {@code /host}
 * @param logs the directory for the console and the capture
 * @param mtu the length of the guest's longest packet, in bytes
 * @param readOnlyShares directories that the guest may read, by mount tag
 * @param disks the images of its disks, in order
 * @param bootLimit how long the guest may be silent while it boots
 */
record Machine(
        String emulator,
        Path image,
        Path shared,
        Path logs,
        Network network,
        int mtu,
        Map<String, Path> readOnlyShares,
        List<Path> disks,
        Duration bootLimit) {
    private static final String EMULATOR = "qemu-system-x86_64";
    private static final int MEGABYTES = 3072;
    private static final Duration BOOT_LIMIT = Duration.ofSeconds(180);

    /** Returns an emulated PC for a cell. */
    static Machine of(
            RunDirectories directories,
            Cell cell,
            Network network,
            Map<String, Path> readOnlyShares) {
        return new Machine(
                EMULATOR,
                directories.image(),
                directories.shared(cell),
                directories.logs(cell),
                network,
                cell.variant().mtu(),
                readOnlyShares,
                List.of(),
                BOOT_LIMIT);
    }

    /** Returns an emulated PC that belongs to no cell. */
    static Machine of(
            Path image,
            Path shared,
            Path logs,
            Network network,
            Map<String, Path> readOnlyShares,
            List<Path> disks) {
        return new Machine(
                EMULATOR,
                image,
                shared,
                logs,
                network,
                network.mtuMax(),
                readOnlyShares,
                disks,
                BOOT_LIMIT);
    }

    Path console() {
        return logs.resolve("console");
    }

    /** Writes the network settings of the guest to a file in the shared directory. */
    void prepare() throws IOException {
        Files.writeString(
                shared.resolve("address"),
                "ADDRESS=%s\nPEER=%s\nMTU=%d\n".formatted(network.guest(), network.host(), mtu));
    }

    List<String> command() {
        var command = new ArrayList<>(fixedCommand());
        readOnlyShares.forEach(
                (tag, directory) -> {
                    command.add("-virtfs");
                    command.add(
                            "local,path=%s,mount_tag=%s,security_model=none,readonly=on"
                                    .formatted(directory, tag));
                });
        for (int number = 0; number < disks.size(); number++) {
            command.add("-drive");
            command.add(
                    "file=%s,format=raw,if=none,id=disk%d,cache=writeback"
                            .formatted(disks.get(number), number));
            command.add("-device");
            command.add("virtio-blk-pci,drive=disk" + number);
        }
        return command;
    }

    private List<String> fixedCommand() {
        return List.of(
                emulator,
                "-machine",
                "q35,usb=off,vmport=off",
                "-accel",
                "tcg,tb-size=512",
                "-cpu",
                "max,la57=off",
                "-m",
                Integer.toString(MEGABYTES),
                "-nodefaults",
                "-no-user-config",
                "-display",
                "none",
                "-no-reboot",
                "-kernel",
                image.resolve("vmlinuz").toString(),
                "-initrd",
                image.resolve("initrd").toString(),
                "-append",
                "console=ttyS0 loglevel=5 panic=-1 mitigations=off nokaslr no_timer_check"
                        + " tsc=reliable random.trust_cpu=on net.ifnames=0",
                "-serial",
                "file:" + console(),
                "-serial",
                "stdio",
                "-netdev",
                network.backend(),
                "-device",
                "virtio-net-pci,netdev=net,romfile=,host_mtu=" + network.mtuMax(),
                "-object",
                "filter-dump,id=dump,netdev=net,maxlen=70000,file=" + logs.resolve("capture.pcap"),
                "-virtfs",
                "local,path=" + shared + ",mount_tag=host,security_model=none");
    }
}
