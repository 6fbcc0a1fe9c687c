package io.github.rpcrdma4j.interop.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What a guest runs on.
 *
 * @param emulator the program
 * @param image directory with the kernel and its initial RAM disk
 * @param shared the directory that the guest sees as {@code /host}
 * @param logs where the console and the capture go
 * @param mtu bytes of the guest's longest packet
 * @param lent directories that the guest may read, by the tag under which it mounts them
 * @param disks images of its disks, which it has in this order
 * @param bootLimit how long the guest may be silent while it boots
 */
record Machine(
        String emulator,
        Path image,
        Path shared,
        Path logs,
        Network network,
        int mtu,
        Map<String, Path> lent,
        List<Path> disks,
        Duration bootLimit) {
    private static final String EMULATOR = "qemu-system-x86_64";
    private static final int MEGABYTES = 3072;
    private static final Duration BOOT_LIMIT = Duration.ofSeconds(180);

    /** An emulated PC. */
    static Machine of(Place place, Cell cell, Network network) {
        return new Machine(
                EMULATOR,
                place.image(),
                place.shared(cell),
                place.logs(cell),
                network,
                cell.variant().mtu(),
                Map.of(),
                List.of(),
                BOOT_LIMIT);
    }

    /** An emulated PC that belongs to no cell. */
    static Machine of(
            Path image,
            Path shared,
            Path logs,
            Network network,
            Map<String, Path> lent,
            List<Path> disks) {
        return new Machine(
                EMULATOR, image, shared, logs, network, network.mtuMax(), lent, disks, BOOT_LIMIT);
    }

    Path console() {
        return logs.resolve("console");
    }

    /** Leaves in the shared directory what the guest has to know of its network. */
    void prepare() throws IOException {
        Files.writeString(
                shared.resolve("address"),
                "ADDRESS=%s\nPEER=%s\nMTU=%d\n".formatted(network.guest(), network.host(), mtu));
    }

    List<String> command() {
        var command = new ArrayList<>(fixedCommand());
        lent.forEach(
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
