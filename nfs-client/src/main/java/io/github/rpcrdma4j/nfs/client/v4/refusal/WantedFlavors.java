package io.github.rpcrdma4j.nfs.client.v4.refusal;

import io.github.rpcrdma4j.nfs.v4.operation.SecurityChoice;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;

/**
 * The flavors with which a server lets a file be used, as SECINFO tells them (RFC 8881, Section
 * 18.29), in words for a user. None of them is used for that: it may be a weaker one.
 *
 * <p>Tests: {@code WantedFlavorsTest}.
 */
public final class WantedFlavors {
    /** How many flavors that this client does not have are named. */
    private static final int OTHERS_MAX = 3;

    /** Kerberos 5: 1.2.840.113554.1.2.2 in DER without its header (RFC 4121). */
    private static final OpaqueName KERBEROS =
            OpaqueName.of(
                    new byte[] {
                        0x2a, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xf7, 0x12, 0x01, 0x02, 0x02
                    });

    private WantedFlavors() {}

    /** Returns a reason: {@code "the server wants another flavor of security: --sec krb5p"}. */
    public static String reason(List<SecurityChoice> choices) {
        var known = new LinkedHashSet<String>();
        var others = new LinkedHashSet<String>();
        for (var each : choices) {
            var flavor = flavor(each);
            if (flavor.isPresent()) {
                known.add(flavor.get().word());
            } else {
                others.add(words(each));
            }
        }
        if (!known.isEmpty()) {
            return "the server wants another flavor of security: --sec " + any(List.copyOf(known));
        }
        return "the server wants a flavor of security that this client does not have"
                + (others.isEmpty()
                        ? ", and names none"
                        : ": " + any(others.stream().limit(OTHERS_MAX).toList()));
    }

    private static String any(List<String> words) {
        int last = words.size() - 1;
        return last == 0
                ? words.getFirst()
                : String.join(", ", words.subList(0, last)) + " or " + words.getLast();
    }

    private static Optional<SecurityFlavor> flavor(SecurityChoice choice) {
        return switch (choice) {
            case SecurityChoice.Flavor(var number) ->
                    Arrays.stream(SecurityFlavor.values())
                            .filter(each -> each.number() == number)
                            .findFirst();
            case SecurityChoice.Gss(var mechanism, _, var service)
                    when mechanism.equals(KERBEROS) ->
                    switch (service) {
                        case 1 -> Optional.of(SecurityFlavor.KRB5);
                        case 2 -> Optional.of(SecurityFlavor.KRB5I);
                        case 3 -> Optional.of(SecurityFlavor.KRB5P);
                        default -> Optional.empty();
                    };
            case SecurityChoice.Gss _ -> Optional.empty();
        };
    }

    private static String words(SecurityChoice choice) {
        return switch (choice) {
            case SecurityChoice.Flavor(var number) -> "number " + Integer.toUnsignedString(number);
            case SecurityChoice.Gss _ -> "another mechanism of RPCSEC_GSS";
        };
    }
}
