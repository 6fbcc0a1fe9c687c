package io.github.rpcrdma4j.nfs.v4.attribute;

import io.github.rpcrdma4j.nfs.v4.type.Timestamp;
import java.util.List;

/**
 * What a server knows of one file, or what a client has learned of it: the values of attributes, by
 * the {@link Attribute.Layout} of each. {@link AttributeWriter} asks for each attribute at most
 * once, in the order of their numbers, and only for those in {@link #present}. So an implementation
 * may put off work until it is asked.
 *
 * <p>A method that is asked for an attribute without a value throws {@link
 * IllegalArgumentException}. By default no attribute has one.
 */
public interface FileFacts {
    /**
     * Returns the attributes that have a value for this file. A server leaves out those that it
     * does not support, those of later minor versions, and those that make no sense for the type of
     * the file.
     */
    AttributeSet present();

    /** Returns the value of an attribute with the layout BOOL. */
    default boolean flag(Attribute attribute) {
        throw absent(attribute);
    }

    /** Returns the value of an attribute with the layout WORD. */
    default int word(Attribute attribute) {
        throw absent(attribute);
    }

    /** Returns the value of an attribute with the layout HYPER. */
    default long hyper(Attribute attribute) {
        throw absent(attribute);
    }

    /** Returns the value of an attribute with the layout TIME. */
    default Timestamp time(Attribute attribute) {
        throw absent(attribute);
    }

    /**
     * Returns the value of an attribute with the layout BYTES. The caller does not change the
     * array.
     */
    default byte[] bytes(Attribute attribute) {
        throw absent(attribute);
    }

    /** Returns the value of an attribute with the layout ATTRIBUTES. */
    default AttributeSet attributes(Attribute attribute) {
        throw absent(attribute);
    }

    /** Returns the value of FSID. */
    default FileSystemId fileSystem() {
        throw absent(Attribute.FSID);
    }

    /** Returns the value of ACL. */
    default List<Ace> acl() {
        throw absent(Attribute.ACL);
    }

    /** Returns the value of OPEN_ARGUMENTS. */
    default OpenSupport openSupport() {
        throw absent(Attribute.OPEN_ARGUMENTS);
    }

    /** Returns the value of FS_LOCATIONS. */
    default FsLocations locations() {
        throw absent(Attribute.FS_LOCATIONS);
    }

    private static IllegalArgumentException absent(Attribute attribute) {
        return new IllegalArgumentException("there is no value of " + attribute);
    }
}
