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
 * IllegalArgumentException}.
 */
public interface FileFacts {
    /**
     * Returns the attributes that have a value for this file. A server leaves out those that it
     * does not support, those of later minor versions, and those that make no sense for the type of
     * the file.
     */
    AttributeSet present();

    /** Returns the value of an attribute with the layout BOOL. */
    boolean flag(Attribute attribute);

    /** Returns the value of an attribute with the layout WORD. */
    int word(Attribute attribute);

    /** Returns the value of an attribute with the layout HYPER. */
    long hyper(Attribute attribute);

    /** Returns the value of an attribute with the layout TIME. */
    Timestamp time(Attribute attribute);

    /**
     * Returns the value of an attribute with the layout BYTES. The caller does not change the
     * array.
     */
    byte[] bytes(Attribute attribute);

    /** Returns the value of an attribute with the layout ATTRIBUTES. */
    AttributeSet attributes(Attribute attribute);

    /** Returns the value of FSID. */
    FileSystemId fileSystem();

    /** Returns the value of ACL. */
    List<Ace> acl();

    /** Returns the value of OPEN_ARGUMENTS. */
    OpenSupport openSupport();
}
