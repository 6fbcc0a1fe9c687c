package io.github.rpcrdma4j.nfs.client.v4.refusal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.v4.operation.SecurityChoice;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: a user learns which flavors a server wants, however many it names. */
class WantedFlavorsTest {
    private static final OpaqueName KERBEROS = mechanism("2a864886f712010202");
    private static final String WANTS = "the server wants another flavor of security: --sec ";
    private static final String NONE_OF_OURS =
            "the server wants a flavor of security that this client does not have";

    private static OpaqueName mechanism(String hex) {
        return OpaqueName.of(HexFormat.of().parseHex(hex));
    }

    private static SecurityChoice kerberos(int service) {
        return new SecurityChoice.Gss(KERBEROS, 0, service);
    }

    @Test
    void oneFlavorIsNamed() {
        assertEquals(WANTS + "krb5p", WantedFlavors.reason(List.of(kerberos(3))));
        assertEquals(WANTS + "sys", WantedFlavors.reason(List.of(new SecurityChoice.Flavor(1))));
    }

    @Test
    void severalAreNamedInTheOrderOfTheServer() {
        var choices =
                List.of(
                        kerberos(3),
                        kerberos(2),
                        new SecurityChoice.Flavor(0),
                        kerberos(3),
                        kerberos(1));
        assertEquals(WANTS + "krb5p, krb5i, none or krb5", WantedFlavors.reason(choices));
    }

    @Test
    void flavorsThatThisClientDoesNotHaveAreNamedIfThereIsNoOther() {
        var other = new SecurityChoice.Gss(mechanism("2b0601050503"), 0, 1);
        assertEquals(
                NONE_OF_OURS + ": another mechanism of RPCSEC_GSS or number 4294967295",
                WantedFlavors.reason(List.of(other, new SecurityChoice.Flavor(-1), other)));
        assertEquals(WANTS + "krb5", WantedFlavors.reason(List.of(other, kerberos(1))));
        assertEquals(NONE_OF_OURS + ", and names none", WantedFlavors.reason(List.of()));
        assertTrue(WantedFlavors.reason(List.of(kerberos(4))).startsWith(NONE_OF_OURS));
    }

    @Test
    void manyFlavorsMakeOneShortLine() {
        var many = new ArrayList<SecurityChoice>();
        for (int i = 10; i < 1000; i++) {
            many.add(new SecurityChoice.Flavor(i));
        }
        assertEquals(
                NONE_OF_OURS + ": number 10, number 11 or number 12", WantedFlavors.reason(many));
    }
}
