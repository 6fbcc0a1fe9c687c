package io.github.rpcrdma4j.rpcrdma.v2.wire;

import java.util.Arrays;
import java.util.List;

/**
 * Some elements of a list of characteristics. Element N is bit N mod 32, the lowest being 0, of
 * word N div 32. Missing words are zero (XCH-2.1-6).
 */
public record Subset(List<Integer> words) {
    /** The empty subset. */
    public static final Subset NONE = new Subset(List.of());

    public Subset {
        words = List.copyOf(words);
    }

    /**
     * Returns the subset of these elements, in as few words as they need.
     *
     * @throws IllegalArgumentException if an element is negative or beyond what a subset may hold
     */
    public static Subset of(int... elements) {
        int last = -1;
        for (int element : elements) {
            if (element < 0 || element >= OptionLimits.SUBSET_WORDS_MAX * Integer.SIZE) {
                throw new IllegalArgumentException(
                        "element " + element + " is out of the range of a subset");
            }
            last = Math.max(last, element);
        }
        var words = new Integer[last / Integer.SIZE + (last < 0 ? 0 : 1)];
        Arrays.fill(words, 0);
        for (int element : elements) {
            words[element / Integer.SIZE] |= 1 << element;
        }
        return new Subset(List.of(words));
    }

    /** Returns whether the subset has an element; an element without a word is not in it. */
    public boolean contains(int element) {
        int word = element / Integer.SIZE;
        return word < words.size() && (words.get(word) >>> element & 1) != 0;
    }
}
