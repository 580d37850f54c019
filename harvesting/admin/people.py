"""Accounts, their links to other institutions, and groups in the admin.

Roles are given on the people page instead, which records the reason.
"""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin as DjangoGroupAdmin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group, User
from django.http import HttpRequest

from harvesting.accounts.access import role_of
from harvesting.accounts.invitations import may_change
from harvesting.accounts.ranks import Role
from harvesting.admin.base import AuditedAdmin, BoundedPaginator, ReadOnly
from harvesting.audit.trail import note
from harvesting.models import ExternalLogin

admin.site.unregister([User, Group])


@admin.register(User)
class PersonAdmin(AuditedAdmin, UserAdmin[User]):
    """Edits names, addresses and passwords. Roles are changed and accounts closed on the people page."""

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
        return False  # accounts are closed instead, so that the audit trail keeps naming the person


@admin.register(ExternalLogin)
class ExternalLoginAdmin(ReadOnly, admin.ModelAdmin[ExternalLogin]):
    """Which accounts are linked to which identities of other institutions.

    Staff unlink an account, so that the person can link it anew at the next login; for an account of higher rank, an
    administrator must do it.
    """

    list_display = ("user", "issuer", "subject", "bound")
    list_select_related = ("user",)
    search_fields = ("user__username", "user__email", "subject")
    paginator = BoundedPaginator
    show_full_result_count = False
    actions = None  # one account at a time, so that its rank is looked at

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        role = role_of(request.user)
        return role >= Role.STAFF and (obj is None or may_change(role, obj.user))

    def delete_model(self, request: HttpRequest, obj: ExternalLogin) -> None:
        note(request.user, "login.unbound", obj.user.get_username(), details={"institution": obj.issuer})
        super().delete_model(request, obj)


@admin.register(Group)
class GroupAdmin(ReadOnly, DjangoGroupAdmin):
    """The groups behind the roles, read-only: `manage.py setup_roles` creates them."""
