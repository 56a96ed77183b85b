/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ISST_LIBRARY_GETTERS_H
#define ISST_LIBRARY_GETTERS_H

/** Defines a function of isst.h that returns a member of an object; @otherwise where that is NULL.
 */
#define GETTER(type, name, of, member, otherwise) \
	type name(const struct of *object) \
	{ \
		return object ? object->member : (otherwise); \
	}

/** The same of an item at @index, of so many. */
#define ITEM_GETTER(type, name, of, count, item, otherwise) \
	type name(const struct of *object, size_t index) \
	{ \
		return object && index < object->count ? object->item : (otherwise); \
	}

#endif
