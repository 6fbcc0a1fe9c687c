package io.github.rpcrdma4j.oncrpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Eligibility;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding.Pairing;
import org.junit.jupiter.api.Test;

/** Goal: a program defines its binding procedure by procedure. */
class UpperLayerBindingTest {
    @Test
    void returnsTheDeclaredItems() {
        var several = new Eligibility(1, 2).withPairing(Pairing.ORDINAL).withUnknownLength();
        var binding =
                UpperLayerBinding.of(7, 3)
                        .procedure(1, 1, 0)
                        .procedure(2, 0, 1)
                        .procedure(9, several)
                        .build();
        assertEquals(7, binding.program());
        assertEquals(3, binding.version());
        assertEquals(new Eligibility(1, 0), binding.eligibility(1));
        assertEquals(new Eligibility(0, 1), binding.eligibility(2));
        assertEquals(several, binding.eligibility(9));
    }

    @Test
    void placesNothingOfOtherProcedures() {
        var binding = UpperLayerBinding.of(7, 3).procedure(1, 1, 0).build();
        assertEquals(Eligibility.NONE, binding.eligibility(0));
        assertEquals(Eligibility.NONE, binding.eligibility(-1));
    }

    @Test
    void refusesANegativeNumberOfItems() {
        assertThrows(IllegalArgumentException.class, () -> new Eligibility(-1, 0));
    }
}
