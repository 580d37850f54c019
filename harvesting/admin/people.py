"""Accounts and groups in the admin, to look at: roles are given on the people page, where the reason is noted."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group, User
from django.http import HttpRequest

from harvesting.admin.base import AuditedAdmin, BoundedPaginator, ReadOnly

admin.site.unregister([User, Group])


@admin.register(User)
class PersonAdmin(AuditedAdmin, UserAdmin[User]):
    """Names, addresses and passwords can be set here; roles and closing on the people page. Nobody is deleted."""

    list_display = ("username", "email", "is_superuser", "is_active", "last_login")
    paginator = BoundedPaginator
    show_full_result_count = False
    readonly_fields = (
        "is_active",
        "is_staff",
        "is_superuser",
        "groups",
        "user_permissions",
        "last_login",
        "date_joined",
    )

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False  # an account is closed; what it did stays readable


@admin.register(Group)
class GroupAdmin(ReadOnly, DjangoGroupAdmin):
    """The groups behind the roles are made by `manage.py setup_roles`."""
